import { describe, expect, it } from 'vitest';
import * as format from '../../../extension/src/webview/format';
import cases from '../../fixtures/format_cases.json';

type Case = [name: keyof typeof format, args: unknown[], text: string];

describe('numbers of the page', () => {
  it.each(cases as Case[])('%s%j is %s, as in format.py', (name, args, text) => {
    const write = format[name] as (...values: unknown[]) => string;
    expect(write(...args)).toBe(text);
  });
});
