/**
 * The report's page in a real browser, without an editor: what it draws, how it is operated, that
 * axe finds nothing wrong with it in any theme, that it asks nothing of a network and runs nothing
 * that a report brings along. Pictures of every theme are in build/page.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUILD } from '../../scripts/lib/paths.mjs';
import { startChromium } from './browser.mjs';
import { checks as accessible } from './accessible.mjs';
import { checks as charts } from './charts.mjs';
import { checks as exported } from './exported.mjs';
import { checks as safe } from './safe.mjs';
import { checks as tables } from './tables.mjs';

const groups = { accessible, charts, exported, safe, tables };
const names = process.argv.slice(2);
const chosen = Object.entries(groups).filter(([name]) => !names.length || names.includes(name));
const pictures = path.join(BUILD, 'page');
rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });

const chromium = await startChromium();
let failed = 0;
let passed = 0;
for (const { name, check } of chosen.flatMap(([, checks]) => checks)) {
  const began = Date.now();
  try {
    await check(chromium, pictures);
    passed += 1;
    console.log(`ok   ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
await chromium.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || passed === 0 ? 1 : 0;
