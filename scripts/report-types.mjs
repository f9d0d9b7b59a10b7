// Writes extension/src/generated/report.ts from the report's published schema.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFromFile } from 'json-schema-to-typescript';
import { ROOT } from './lib/paths.mjs';

const SCHEMA = path.join(ROOT, 'pyserver', 'stepscope', 'report', 'report.schema.json');
export const GENERATED = path.join(ROOT, 'extension', 'src', 'generated', 'report.ts');

export function generateReportTypes() {
  return compileFromFile(SCHEMA, {
    additionalProperties: false,
    bannerComment: '// Generated from report.schema.json by `npm run generate`; edit that instead.',
    style: { singleQuote: true, printWidth: 100 },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(path.dirname(GENERATED), { recursive: true });
  writeFileSync(GENERATED, await generateReportTypes());
}
