import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { GENERATED, generateReportTypes } from '../../scripts/report-types.mjs';

it('the types of the report are those of its schema (else: npm run generate)', async () => {
  const generate = generateReportTypes as () => Promise<string>;
  expect(readFileSync(GENERATED as string, 'utf8')).toBe(await generate());
});
