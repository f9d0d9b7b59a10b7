/**
 * The built page in a headless Chromium, as a panel of VS Code would show it (its colours, its
 * strict Content-Security-Policy) or as an exported file. Anything that it asks of a network fails
 * and is written down.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureEditor } from '../../scripts/lib/editor.mjs';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { THEMES } from './themes.mjs';

const PAGE = path.join(ROOT, 'pyserver', 'stepscope', 'report', 'page');
const ORIGIN = 'http://page.test';
const POLICY = "default-src 'none'; script-src 'nonce-test'; style-src 'nonce-test'";

export async function startChromium() {
  const editor = ensureEditor();
  const { chromium } = createRequire(editor.playwright)('playwright-core');
  return chromium.launch({
    executablePath: editor.chromium,
    // Chromium's sandbox refuses to run as root, which a CI job is.
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND'],
  });
}

const escaped = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The frame of the page. `data`: the report is inside, as in an exported file. */
function htmlOf({ theme, data }) {
  const script = readFileSync(path.join(PAGE, 'report.js'), 'utf8');
  const style = readFileSync(path.join(PAGE, 'report.css'), 'utf8');
  const { kind, variables } = THEMES[theme] ?? { kind: '', variables: {} };
  const declared = Object.entries(variables).map(([name, color]) => `--vscode-${name}: ${color};`);
  const body = kind ? `<body class="${kind}" data-vscode-theme-kind="${kind}">` : '<body>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stepscope</title>
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<style nonce="test">:root { ${declared.join(' ')} }</style>
<style nonce="test">${style}</style></head>${body}<div id="report"></div>
${data ? `<script type="application/json" id="report-data" nonce="test">${escaped(data)}</script>` : ''}
<script nonce="test">${script}</script></body></html>`;
}

/**
 * Show `report`; `theme` is a name of themes.mjs, or undefined for an exported page. Returns
 * `{ page, requests, errors, sent() }`, `sent` being what the page told its panel.
 */
export async function openPage(
  chromium,
  { report, theme, state = {}, strings = {}, media = {}, size },
) {
  const context = await chromium.newContext({
    viewport: size ?? { width: 1200, height: 900 },
    ...media,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const requests = [];
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url === `${ORIGIN}/`) {
      const body = htmlOf({ theme, data: theme ? undefined : report });
      return route.fulfill({ contentType: 'text/html', body });
    }
    requests.push(url);
    return route.abort();
  });
  if (theme) await page.addInitScript(playPanel);
  await page.goto(`${ORIGIN}/`);
  if (theme) {
    await page.waitForFunction(() => globalThis.panel.sent.length > 0);
    await page.evaluate(
      ([message]) => globalThis.postMessage(message, '*'),
      [{ kind: 'report', report, strings, state }],
    );
  }
  await page.locator('main h1').waitFor();
  return {
    page,
    requests,
    errors,
    sent: () => page.evaluate(() => globalThis.panel.sent),
    close: () => context.close(),
  };
}

/** Runs in the page: what VS Code gives a webview. */
function playPanel() {
  const panel = (globalThis.panel = { sent: [], state: undefined });
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (message) => panel.sent.push(message),
    setState: (state) => (panel.state = state),
    getState: () => panel.state,
  });
}
