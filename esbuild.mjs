// Bundles the extension into dist/extension.js. Types are checked by `npm run check-types`.
import { build } from 'esbuild';

await build({
  entryPoints: ['extension/src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  // The Node of the oldest VS Code in package.json's engines.
  target: 'node20',
  external: ['vscode'],
  logLevel: 'warning',
});
