/** Take all costs and hints out of the editor. */
import { commands } from 'vscode';
import { serverCommandIds } from '../contributions';
import type { Command } from './command';

export const clearResults: Command = async ({ server }) => {
  if (server.isRunning()) await commands.executeCommand(serverCommandIds.clear, {});
};
