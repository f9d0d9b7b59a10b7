import { expect, it } from 'vitest';
import { needsPage } from '../../scripts/lib/page.mjs';

it('builds the page where the command line asks for one, however it spells that', () => {
  expect(needsPage(['run', '--html', 'out.html', 'train.py'])).toBe(true);
  expect(needsPage(['open', '--html=out.html', 'trace.json'])).toBe(true);
});

it('builds no page where nobody asks', () => {
  expect(needsPage(['run', '--json', 'out.html', 'html.py'])).toBe(false);
  expect(needsPage([])).toBe(false);
});
