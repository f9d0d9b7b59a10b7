/** Show a line of a source file beside the report that it was clicked in. */
import {
  l10n,
  Position,
  Range,
  Selection,
  TabInputText,
  TextEditorRevealType,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';

/** `line` is 1-based, `from` the column of the report. */
export async function goToLine(file: string, line: number, from: ViewColumn | undefined) {
  const uri = Uri.file(file);
  const document = await workspace.openTextDocument(uri).then(undefined, () => undefined);
  if (!document) {
    void window.showWarningMessage(
      l10n.t('{0} is not on this machine; the report names it, so it was measured there.', file),
    );
    return;
  }
  const editor = await window.showTextDocument(document, { viewColumn: columnFor(uri, from) });
  const at = new Position(Math.min(line, document.lineCount) - 1, 0);
  const begin = at.translate(0, document.lineAt(at).firstNonWhitespaceCharacterIndex);
  editor.selection = new Selection(begin, begin);
  editor.revealRange(new Range(begin, begin), TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Where the file is open already, else another column than the report's own. */
function columnFor(uri: Uri, from: ViewColumn | undefined): ViewColumn {
  const others = window.tabGroups.all.filter(({ viewColumn }) => viewColumn !== from);
  const shows = others.find(({ tabs }) =>
    tabs.some(({ input }) => input instanceof TabInputText && input.uri.fsPath === uri.fsPath),
  );
  return (shows ?? others[0])?.viewColumn ?? ViewColumn.Beside;
}
