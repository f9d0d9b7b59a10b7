/** "Profile this model": run the Python file in the editor and show what its lines cost. */
import { commands, window, type TextDocument } from 'vscode';
import { pythonLanguage, serverCommandIds } from '../contributions';
import { isOnDisk } from '../documents';
import type { Command } from './command';

export const profileModel: Command = async ({ server }) => {
  const document = openPythonFile();
  if (!document || !(await server.ensureRunning())) return;
  // The server's own command: the client saves the files and sends it on (see client.ts).
  await commands.executeCommand(serverCommandIds.profile, { uri: document.uri.toString() });
};

/** The file to run; undefined after saying why there is none. */
export function openPythonFile(): TextDocument | undefined {
  const document = window.activeTextEditor?.document;
  if (document?.languageId !== pythonLanguage) {
    void window.showInformationMessage(
      'Open the Python file that trains or runs your model first.',
    );
    return undefined;
  }
  if (!isOnDisk(document)) {
    void window.showInformationMessage('Save the file first: Stepscope runs it with Python.');
    return undefined;
  }
  return document;
}
