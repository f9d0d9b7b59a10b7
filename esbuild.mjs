// Bundles the extension into dist/extension.js, and the page that draws a report into the server's
// package, whose `--html` uses it too. Types are checked by `npm run check-types`.
import { build } from 'esbuild';

const common = { bundle: true, minify: true, logLevel: 'warning' };

await Promise.all([
  build({
    ...common,
    entryPoints: ['extension/src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    format: 'cjs',
    // The Node of the oldest VS Code in package.json's engines.
    target: 'node20',
    external: ['vscode'],
  }),
  build({
    ...common,
    entryPoints: { report: 'extension/src/webview/main.tsx' },
    outdir: 'pyserver/stepscope/report/page',
    platform: 'browser',
    format: 'iife',
    // The Chromium of that VS Code; an exported page is opened in any browser of the same years.
    target: ['chrome122', 'firefox124', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // It stands inside a <script> of the exported page.
    charset: 'ascii',
    legalComments: 'none',
  }),
]);
