/** The table of commands: a new one is a file beside this and a line in it. */
import { CancellationError, commands, window, type Disposable } from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { describeError } from '../log';
import { cancelProfile } from './cancelProfile';
import { clearResults } from './clearResults';
import { copyDebugInfo } from './copyDebugInfo';
import { copyFigures } from './copyFigures';
import type { Command, CommandContext } from './command';
import { openReport } from './openReport';
import { openSample } from './openSample';
import { openSavedReport } from './openSavedReport';
import { openTrace, openTraceFolder } from './openTrace';
import { profileModel } from './profileModel';
import { profileWith } from './profileWith';
import { restartServer } from './restartServer';
import { showLog } from './showLog';
import { showMenu } from './showMenu';
import { showOutput } from './showOutput';

const table = {
  [commandIds.profileModel]: profileModel,
  [commandIds.profileWith]: profileWith,
  [commandIds.openSample]: openSample,
  [commandIds.openTrace]: openTrace,
  [commandIds.openTraceFolder]: openTraceFolder,
  [commandIds.openReport]: openReport,
  [commandIds.openSavedReport]: openSavedReport,
  [commandIds.cancelProfile]: cancelProfile,
  [commandIds.clearResults]: clearResults,
  [commandIds.restartServer]: restartServer,
  [commandIds.showLog]: showLog,
  [commandIds.showOutput]: showOutput,
  [commandIds.showMenu]: showMenu,
  [commandIds.copyDebugInfo]: copyDebugInfo,
  [commandIds.copyFigures]: copyFigures,
} as const satisfies Record<CommandId, Command>;

export function registerCommands(context: CommandContext): Disposable[] {
  return Object.entries(table).map(([id, command]: [string, Command]) =>
    commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await command(context, ...args);
      } catch (error) {
        // The server was stopped while it worked; who stopped it has said so.
        if (error instanceof CancellationError) return;
        context.log.error(`${id}: ${describeError(error)}`);
        const message = error instanceof Error ? error.message : String(error);
        void window.showErrorMessage(`Stepscope: ${message}`);
      }
    }),
  );
}
