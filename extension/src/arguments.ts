/** The field in which a person enters the arguments of a file, as in a terminal. */
import { Uri, window } from 'vscode';
import type { EnterArgumentsParams } from './protocol';
import { joinWords, splitWords } from './words';

/** Null: the person would rather not. */
export async function enterArguments({
  uri,
  args,
}: EnterArgumentsParams): Promise<string[] | null> {
  const name = Uri.parse(uri).path.split('/').pop() ?? '';
  const entered = await window.showInputBox({
    title: `Arguments of ${name}`,
    prompt: 'As in a terminal; quotes hold words together. The setting stepscope.args keeps them.',
    value: joinWords(args),
    ignoreFocusOut: true,
    validateInput: (text) => (splitWords(text) ? undefined : 'A quote is not closed.'),
  });
  return entered === undefined ? null : (splitWords(entered) ?? null);
}
