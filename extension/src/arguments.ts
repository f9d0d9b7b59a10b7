/** The field in which a person enters the arguments of a file, as in a terminal. */
import { Uri, window } from 'vscode';
import type { StaticFeature } from 'vscode-languageclient/node';
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

/** Tells the server that there is such a field. */
export const enterArgumentsFeature: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const before = capabilities.experimental as object | undefined;
    capabilities.experimental = { ...before, stepscope: { enterArguments: true } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};
