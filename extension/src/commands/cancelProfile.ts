/** Stop the run in progress, if there is one. */
import { commands } from 'vscode';
import { serverCommandIds } from '../contributions';
import type { Command } from './command';

export const cancelProfile: Command = async ({ server }) => {
  if (server.isRunning()) await commands.executeCommand(serverCommandIds.cancel, {});
};
