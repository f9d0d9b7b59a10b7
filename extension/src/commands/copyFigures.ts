import { env, l10n, window } from 'vscode';
import type { Command } from './command';

/** Reached from a hover: the figures of its line, as text. */
export const copyFigures: Command = async (_context, given: unknown) => {
  const text = (given as { text?: unknown } | undefined)?.text;
  if (typeof text !== 'string') return;
  await env.clipboard.writeText(text);
  window.setStatusBarMessage(l10n.t('Figures copied'), 3_000);
};
