/** "Profile with...": choose how the open file is run, remember it, and run it. */
import { commands } from 'vscode';
import { serverCommandIds } from '../contributions';
import { chooseLaunch } from '../launch/picker';
import type { Command } from './command';
import { openPythonFile } from './profileModel';

export const profileWith: Command = async ({ server, launches }) => {
  const document = openPythonFile();
  if (!document || !(await server.ensureRunning())) return;
  const uri = document.uri.toString();
  const name = document.uri.path.split('/').pop() ?? '';
  if (!(await chooseLaunch(launches, uri, name))) return;
  await commands.executeCommand(serverCommandIds.profile, { uri });
};
