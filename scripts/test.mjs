// `npm test`: install what the tests need, run every stage, tell in one line each how it went.
// All checks run even after a failure; `npm test -- vitest unit` runs only those named.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureEditor } from './lib/editor.mjs';
import { ensureNodePackages } from './lib/node-packages.mjs';
import { BUILD, nodeTool, ROOT, VENV, VSIX } from './lib/paths.mjs';
import { runMain, SetupError } from './lib/process.mjs';
import { ensureVenv } from './lib/python.mjs';

const LOGS = path.join(BUILD, 'logs');
const STAGE_LIMIT_MS = 20 * 60_000;

const inVenv = (name) => path.join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin', name);
const python = (...args) => [inVenv('python'), ...args];
const node = (...args) => [process.execPath, ...args];
const pytest = (folder, ...args) => python('-m', 'pytest', '-q', ...args, folder);
/** A test file stays in one process: its runs of targets are shared by its tests. */
const BY_FILE = ['-n', '2', '--dist', 'loadfile'];

/**
 * `detail` picks the lines of the output worth repeating; `mayskip`: its skips are no
 * failure; `only`: the one platform it runs on.
 */
const STAGES = [
  { name: 'python packages', prepare: () => ensureVenv('frameworks') },
  { name: 'npm packages', prepare: ensureNodePackages },
  { name: 'vs code and chromium', prepare: ensureEditor, only: 'linux' },
  { name: 'ruff', command: [inVenv('ruff'), 'check', '.'] },
  { name: 'ruff format', command: [inVenv('ruff'), 'format', '--check', '.'] },
  { name: 'mypy', command: python('-m', 'mypy') },
  { name: 'import-linter', command: [inVenv('lint-imports')] },
  { name: 'unit', command: pytest('tests/unit'), detail: pytestDetail },
  {
    name: 'agent',
    command: pytest('tests/agent', ...BY_FILE, '-m', 'not slow'),
    detail: pytestDetail,
  },
  { name: 'lsp', command: pytest('tests/lsp'), detail: pytestDetail },
  { name: 'gpu', command: pytest('tests/gpu'), detail: pytestDetail, mayskip: true },
  { name: 'tsc', command: node(nodeTool('typescript', 'bin', 'tsc'), '--noEmit') },
  {
    name: 'eslint',
    command: node(nodeTool('eslint', 'bin', 'eslint.js'), '--max-warnings=0', '.'),
  },
  { name: 'prettier', command: node(nodeTool('prettier', 'bin', 'prettier.cjs'), '--check', '.') },
  { name: 'vitest', command: node(nodeTool('vitest', 'vitest.mjs'), 'run'), detail: vitestDetail },
  {
    name: 'package',
    command: node('scripts/package.mjs'),
    detail: () => [path.relative(ROOT, VSIX)],
  },
  { name: 'e2e', command: node('tests/e2e/run.mjs'), detail: lastLine, only: 'linux' },
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

/** Run `command` in a process group of its own, so that nothing it started outlives it. */
function execute([command, ...args]) {
  return new Promise((resolve) => {
    const grouped = process.platform !== 'win32';
    const child = spawn(command, args, {
      cwd: ROOT,
      detached: grouped,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const end = (signal) => {
      try {
        if (grouped) process.kill(-child.pid, signal);
        else child.kill(signal);
      } catch {
        // The group is gone already.
      }
    };
    const interrupted = () => {
      end('SIGTERM');
      process.exit(130);
    };
    process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
    const limit = setTimeout(() => {
      output += `\nstopped: longer than ${STAGE_LIMIT_MS / 1000} s\n`;
      end('SIGKILL');
    }, STAGE_LIMIT_MS);
    const collect = (chunk) => (output += chunk);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => (output += error.message));
    child.on('close', (status) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      end('SIGKILL');
      resolve({ passed: status === 0, output });
    });
  });
}

async function runStage(stage) {
  if (stage.prepare) {
    try {
      await stage.prepare();
      return { passed: true, output: '' };
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      return { passed: false, output: error.message };
    }
  }
  const result = await execute(stage.command);
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

await runMain(async () => {
  mkdirSync(LOGS, { recursive: true });
  const start = Date.now();
  let passedCount = 0;
  const failed = [];
  const stages = chosenStages(process.argv.slice(2));
  for (const stage of stages) {
    if (stage.only && stage.only !== process.platform) {
      console.log(`--   ${stage.name}: only on ${stage.only}`);
      continue;
    }
    const began = Date.now();
    const { passed, output } = await runStage(stage);
    const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(7);
    const details = passed ? (stage.detail?.(output) ?? []) : [];
    const [first = '', ...more] = details;
    console.log(
      `${passed ? 'ok  ' : 'FAIL'} ${stage.name.padEnd(20)} ${seconds} s  ${first}`.trimEnd(),
    );
    for (const line of more) console.log(`       ${line}`);
    if (passed) {
      passedCount += 1;
    } else {
      failed.push(stage.name);
      console.log(plain(output).trimEnd().replaceAll(/^/gm, '     | '));
      // Without what the tests need, every later failure would only say so again.
      if (stage.prepare) break;
    }
  }
  const total = ((Date.now() - start) / 1000).toFixed(0);
  console.log(
    failed.length > 0 ? `failed: ${failed.join(', ')}` : 'everything passed',
    `in ${total} s`,
  );
  console.log(`stages: ${passedCount} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
});
