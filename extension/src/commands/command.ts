/** What a command is made of. */
import type { LogOutputChannel } from 'vscode';
import type { Server } from '../server';
import type { ReportPanels } from '../views/reportPanels';

export interface CommandContext {
  readonly server: Server;
  readonly log: LogOutputChannel;
  readonly reports: ReportPanels;
}

export type Command = (context: CommandContext, ...args: unknown[]) => Promise<void> | void;
