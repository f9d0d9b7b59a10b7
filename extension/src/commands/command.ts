/** What a command is made of. */
import type { LogOutputChannel } from 'vscode';
import type { Server } from '../server';

export interface CommandContext {
  readonly server: Server;
  readonly log: LogOutputChannel;
}

export type Command = (context: CommandContext, ...args: unknown[]) => Promise<void> | void;
