import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkReport } from '../../../extension/src/reportShape';
import { reportHtml } from '../../../extension/src/views/reportHtml';
import { filesOf, type PageReport } from '../../../extension/src/webview/model/page';
import { operatorsOf } from '../../../extension/src/webview/model/operators';
import { english, setTexts, text } from '../../../extension/src/webview/strings';
import * as made from '../../page/reports.mjs';
import { root } from '../manifest';

const report = () => made.report() as unknown as PageReport;

describe('the shape of a report', () => {
  it.each(['report', 'snapshot', 'cpuOnly', 'ranks', 'hostile'] as const)('fits %s', (name) => {
    expect(checkReport(made[name]())).toBeNull();
  });

  it.each([
    [[], /not a Stepscope report/],
    [null, /not a Stepscope report/],
    [{ schema: 7 }, /not a Stepscope report/],
    [{ schema: 'stepscope/report/2' }, /format stepscope\/report\/2/],
    [{ schema: 'stepscope/report/1' }, /damaged: report lacks "run"/],
    [{ ...report(), lines: {} }, /damaged: report\.lines is not of type array/],
    [{ ...report(), notes: [1] }, /damaged: report\.notes\.0 is not of type string/],
    [{ ...report(), step_ms: { median: '1' } }, /damaged: report\.step_ms/],
    [{ ...report(), run: { ...report().run, constructor: 3 } }, null],
  ])('%#: says what is wrong', (value, told) => {
    if (told) expect(checkReport(value)).toMatch(told);
    else expect(checkReport(value)).toBeNull();
  });
});

describe('operators over all lines', () => {
  it('are added up by name, and remember where they took longest', () => {
    const found = operatorsOf(report());
    const conv = found.find(({ name }) => name === 'aten::conv2d');
    const times = report()
      .lines.flatMap(({ ops }) => ops)
      .filter(({ name }) => name === 'aten::conv2d')
      .map(({ work_ms: work }) => work);
    expect(conv?.work_ms).toBeCloseTo(times.reduce((sum, work) => sum + work));
    expect(conv?.at?.line).toBe(20);
    expect(conv?.lines).toBe(times.length);
    expect(conv?.backward_ms).toBe(0);
    expect(found.find(({ name }) => name === 'aten::copy_')?.at).toBeNull();
  });
});

describe('the files that a click may open', () => {
  it('are those that the report names', () => {
    expect([...filesOf(report())].sort()).toEqual([
      '/home/me/project/model.py',
      '/home/me/project/train.py',
    ]);
  });
});

describe('the frame of the page', () => {
  const html = reportHtml({
    script: 'https://x/report.js?"<',
    style: 'https://x/report.css',
    source: 'https://x',
    nonce: 'abc123',
    language: 'fr"><script>',
  });

  it('loads its own script by nonce, and nothing from elsewhere', () => {
    expect(html).toContain(
      'default-src &#39;none&#39;; script-src &#39;nonce-abc123&#39;; style-src https://x"',
    );
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('unsafe');
    expect(html).toContain('src="https://x/report.js?&quot;&lt;"');
  });
});

describe('texts', () => {
  it('are filled in, and fall back to English', () => {
    setTexts({ findings: 'Constats', lines: 3, toString: 'x' });
    expect(text('findings')).toBe('Constats');
    expect(text('lines')).toBe('Lines');
    expect(text('rowsShown', 5, '1,000')).toBe('5 of 1,000');
    setTexts({});
    expect(text('findings')).toBe('Findings');
  });

  it('are all used', () => {
    const folder = path.join(root, 'extension', 'src', 'webview');
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('strings.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('\n');
    // These are also words of the report: what a finding's severity and a line's bound are called.
    const words = new Set(['warning', 'information', 'hint']);
    const unused = Object.keys(english).filter(
      (key) => !words.has(key) && !code.includes(`'${key}'`),
    );
    expect(unused).toEqual([]);
  });
});
