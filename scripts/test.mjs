// `npm test`: install what the tests need, run every stage, tell in one line each how it went.
// All checks run even after a failure; `npm test -- vitest unit` runs only those named. Stages run
// beside one another, so their times add up to more than the whole takes.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execute } from './lib/group.mjs';
import { BUILD, nodeTool, ROOT, VENV, VSIX } from './lib/paths.mjs';
import { runMain, SetupError } from './lib/process.mjs';
import { BY_FILE } from './lib/pytest.mjs';
import { schedule } from './lib/schedule.mjs';

const LOGS = path.join(BUILD, 'logs');
const STAGE_LIMIT_MS = 23 * 60_000;
/** Those of the machine that decides. On a larger one, more at once would only hide a slow stage. */
const CORES = 2;

const inVenv = (name) => path.join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin', name);
const python = (...args) => [inVenv('python'), ...args];
const node = (...args) => [process.execPath, ...args];
const pytest = (folder, ...args) => python('-m', 'pytest', '-q', ...args, folder);

const PYTHON = ['python packages'];
const NODE = ['npm packages'];
const EDITOR = ['vs code and chromium'];

/**
 * `needs`: stages that have to pass first; `cores`: how many it keeps busy, if not one; `detail`
 * picks the lines of the output worth repeating; `mayskip`: its skips are no failure; `only`: the
 * one platform it runs on. Those that take long start early; what keeps both cores busy comes last.
 */
const STAGES = [
  ...[
    { name: 'python packages', command: node('scripts/prepare.mjs', 'python') },
    { name: 'npm packages', command: node('scripts/prepare.mjs', 'npm') },
    {
      name: 'vs code and chromium',
      command: node('scripts/prepare.mjs', 'editor'),
      only: 'linux',
    },
    {
      // Not beside the one above: apt-get allows one at a time.
      name: 'neovim package',
      command: node('scripts/prepare.mjs', 'neovim'),
      needs: ['vs code and chromium'],
      only: 'linux',
    },
  ].map((stage) => ({ ...stage, installs: true })),
  {
    name: 'package',
    command: node('scripts/package.mjs'),
    needs: [...PYTHON, ...NODE],
    detail: () => [path.relative(ROOT, VSIX)],
  },
  {
    name: 'e2e',
    command: node('tests/e2e/run.mjs'),
    needs: [...PYTHON, ...EDITOR, 'package'],
    detail: lastLine,
    only: 'linux',
  },
  {
    name: 'page',
    command: node('tests/page/run.mjs'),
    needs: [...EDITOR, 'package'],
    detail: lastLine,
    only: 'linux',
  },
  {
    name: 'neovim',
    command: pytest('tests/neovim'),
    needs: [...PYTHON, 'neovim package'],
    detail: pytestDetail,
    only: 'linux',
  },
  { name: 'lsp', command: pytest('tests/lsp'), needs: PYTHON, detail: pytestDetail },
  ...[
    { name: 'tsc', command: node(nodeTool('typescript', 'bin', 'tsc'), '--noEmit') },
    {
      name: 'tsc page',
      command: node(
        nodeTool('typescript', 'bin', 'tsc'),
        '--noEmit',
        '-p',
        'extension/src/webview',
      ),
    },
    {
      name: 'eslint',
      command: node(nodeTool('eslint', 'bin', 'eslint.js'), '--max-warnings=0', '.'),
    },
    {
      name: 'prettier',
      command: node(nodeTool('prettier', 'bin', 'prettier.cjs'), '--check', '.'),
    },
    {
      name: 'vitest',
      command: node(nodeTool('vitest', 'vitest.mjs'), 'run'),
      detail: vitestDetail,
    },
  ].map((stage) => ({ ...stage, needs: NODE })),
  ...[
    { name: 'ruff', command: [inVenv('ruff'), 'check', '.'] },
    { name: 'ruff format', command: [inVenv('ruff'), 'format', '--check', '.'] },
    { name: 'mypy', command: python('-m', 'mypy') },
    { name: 'import-linter', command: [inVenv('lint-imports')] },
    { name: 'unit', command: pytest('tests/unit'), detail: pytestDetail },
    { name: 'gpu', command: pytest('tests/gpu'), detail: pytestDetail, mayskip: true },
    {
      name: 'agent',
      command: pytest('tests/agent', ...BY_FILE, '-m', 'not slow'),
      cores: 2,
      detail: pytestDetail,
    },
  ].map((stage) => ({ ...stage, needs: PYTHON })),
];

/** Colours would only stand in the way of reading the output. */
const plain = (output) => output.replaceAll(/\u001b\[[0-9;]*m/g, '');
const linesOf = (output) =>
  plain(output)
    .split('\n')
    .map((line) => line.trim());

function lastLine(output) {
  return linesOf(output).filter(Boolean).slice(-1);
}

function pytestDetail(output) {
  const lines = linesOf(output);
  const summary = lines.filter((line) => /\d+ (passed|failed|skipped|error).* in /.test(line));
  return [...summary.slice(-1), ...lines.filter((line) => line.startsWith('SKIPPED'))];
}

function vitestDetail(output) {
  return linesOf(output).filter((line) => line.startsWith('Tests '));
}

async function runStage(stage) {
  // A person wants to see an installation go on; where nobody looks, it is told when it fails.
  const shown = stage.installs && process.stderr.isTTY;
  const result = await execute(stage.command, { cwd: ROOT, limitMs: STAGE_LIMIT_MS, shown });
  writeFileSync(path.join(LOGS, `${stage.name.replaceAll(' ', '-')}.log`), plain(result.output));
  // A skipped check is a check that nobody made: on the machine that decides, that is a failure.
  const skipped = /^SKIPPED/m.test(plain(result.output)) && !stage.mayskip && process.env.CI;
  return skipped
    ? { passed: false, output: `${result.output}\nskipped tests are not allowed in CI\n` }
    : result;
}

function chosenStages(names) {
  const known = STAGES.map((stage) => stage.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new SetupError(`no such stage: ${unknown.join(', ')} (there are: ${known.join(', ')})`);
  }
  return STAGES.filter((stage) => names.length === 0 || names.includes(stage.name));
}

function tell(stage, { passed, output }, began) {
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(7);
  const [first = '', ...more] = passed ? (stage.detail?.(output) ?? []) : [];
  const verdict = passed ? 'ok  ' : 'FAIL';
  console.log(`${verdict} ${stage.name.padEnd(20)} ${seconds} s  ${first}`.trimEnd());
  for (const line of more) console.log(`       ${line}`);
  if (!passed) console.log(plain(output).trimEnd().replaceAll(/^/gm, '     | '));
}

await runMain(async () => {
  // Hundreds of processes import the same modules: without bytecode each compiles them anew.
  delete process.env.PYTHONDONTWRITEBYTECODE;
  mkdirSync(LOGS, { recursive: true });
  const start = Date.now();
  const chosen = chosenStages(process.argv.slice(2));
  const here = chosen.filter((stage) => !stage.only || stage.only === process.platform);
  for (const stage of chosen) {
    if (!here.includes(stage)) console.log(`--   ${stage.name}: only on ${stage.only}`);
  }
  let passedCount = 0;
  const failed = [];
  const run = async (stage) => {
    const began = Date.now();
    const result = await runStage(stage);
    tell(stage, result, began);
    if (result.passed) passedCount += 1;
    else failed.push(stage.name);
    return result.passed;
  };
  const leave = (stage, needed) => {
    failed.push(stage.name);
    console.log(`FAIL ${stage.name}: not run, since "${needed}" failed`);
  };
  await schedule(here, CORES, run, leave);
  const total = ((Date.now() - start) / 1000).toFixed(0);
  console.log(
    failed.length > 0 ? `failed: ${failed.join(', ')}` : 'everything passed',
    `in ${total} s`,
  );
  console.log(`stages: ${passedCount} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
});
