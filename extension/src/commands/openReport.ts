/** "Open report": all that was measured of a file, and of one line of it. */
import { l10n, Uri, window } from 'vscode';
import { pythonLanguage } from '../contributions';
import type { Source } from '../webview/messages';
import type { Command } from './command';

export const openReport: Command = async ({ reports }, given) => {
  const { uri, line, file, run } = parameters(given);
  if (run !== undefined) {
    await reports.show({ kind: 'run', run });
    return;
  }
  const active = window.activeTextEditor?.document;
  const asked = uri ?? (active?.languageId === pythonLanguage ? active.uri.toString() : undefined);
  if (asked === undefined) {
    void window.showInformationMessage(
      l10n.t('Open the Python file that was measured first, then its report.'),
    );
    return;
  }
  // As VS Code writes it: two spellings of a name would be two tabs.
  const source: Source = { kind: 'file', uri: Uri.parse(asked).toString() };
  const path = file ?? Uri.parse(asked).fsPath;
  await reports.show(source, line === undefined ? undefined : { file: path, line });
};

interface Parameters {
  readonly uri?: string;
  /** 1-based. */
  readonly line?: number;
  /** Of the line, where it is another than the measured one. */
  readonly file?: string;
  readonly run?: string | number;
}

/** What a link passes, or the resource of a menu of the editor. */
function parameters(given: unknown): Parameters {
  if (given instanceof Uri) return { uri: given.toString() };
  if (typeof given !== 'object' || given === null) return {};
  const { uri, line, file, run } = given as Record<string, unknown>;
  return {
    ...(typeof uri === 'string' ? { uri } : {}),
    ...(typeof file === 'string' ? { file } : {}),
    ...(typeof line === 'number' && Number.isInteger(line) ? { line } : {}),
    ...(typeof run === 'string' || typeof run === 'number' ? { run } : {}),
  };
}
