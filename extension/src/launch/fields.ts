/** What can be changed for one file: a table, one entry per field. */
import { l10n } from 'vscode';
import { joinWords, splitWords } from '../words';
import type { Launch } from './launch';

export interface Field {
  readonly title: string;
  readonly prompt: string;
  /** As a person edits it; empty: as the settings say. */
  shown(launch: Launch): string;
  problem(text: string): string | undefined;
  /** From a text without a problem. An empty one leaves it to the settings. */
  read(text: string): Launch;
}

const WHOLE = /^\s*([1-9]\d{0,4})?\s*$/;
const NAMED = /^[^=]+=/;

/** A function, since the language is known late. */
export function fields(): Field[] {
  const empty = l10n.t('Empty: as the settings say.');
  return [
    {
      title: l10n.t('Enter arguments...'),
      prompt: l10n.t('As in a terminal; quotes hold words together. {0}', empty),
      shown: ({ args }) => joinWords(args ?? []),
      problem: (text) => (splitWords(text) ? undefined : l10n.t('A quote is not closed.')),
      read: (text) => ({ args: orNone(splitWords(text) ?? []) }) as Launch,
    },
    {
      title: l10n.t('Environment variables...'),
      prompt: l10n.t('NAME=value, separated by spaces; quotes hold words together. {0}', empty),
      shown: ({ env }) => joinWords(Object.entries(env ?? {}).map((pair) => pair.join('='))),
      problem: (text) =>
        splitWords(text)?.every((word) => NAMED.test(word))
          ? undefined
          : l10n.t('Write NAME=value, and close each quote.'),
      read: (text) => ({ env: orNone(pairs(splitWords(text) ?? [])) }) as Launch,
    },
    textField('cwd', l10n.t('Working folder...'), l10n.t('A path. {0}', empty)),
    textField('python', l10n.t('Interpreter...'), l10n.t('The path of a Python. {0}', empty)),
    numberField('steps', l10n.t('Steps...'), l10n.t('How many steps are timed. {0}', empty)),
    numberField(
      'processes',
      l10n.t('Processes...'),
      l10n.t('How many ranks torchrun starts on this machine. {0}', empty),
    ),
  ];
}

function textField(key: 'cwd' | 'python', title: string, prompt: string): Field {
  return {
    title,
    prompt,
    shown: (launch) => launch[key] ?? '',
    problem: () => undefined,
    read: (text) => ({ [key]: text.trim() || undefined }),
  };
}

function numberField(key: 'steps' | 'processes', title: string, prompt: string): Field {
  return {
    title,
    prompt,
    shown: (launch) => String(launch[key] ?? ''),
    problem: (text) =>
      WHOLE.test(text) ? undefined : l10n.t('A whole number from 1, or nothing.'),
    read: (text) => ({ [key]: text.trim() ? Number(text) : undefined }),
  };
}

function pairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}

function orNone<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}
