/** What a command is made of. */
import type { ExtensionContext } from 'vscode';
import type { Launches } from '../launch/launches';
import type { Log } from '../log';
import type { Server } from '../server';
import type { StatusItem } from '../status/item';
import type { TargetOutput } from '../targetOutput';
import type { ReportPanels } from '../views/reportPanels';

export interface CommandContext {
  readonly server: Server;
  readonly log: Log;
  readonly extension: ExtensionContext;
  readonly launches: Launches;
  readonly output: TargetOutput;
  readonly status: StatusItem;
  /** Version of PyTorch in the last run; undefined: none has been seen. */
  readonly torch: () => string | undefined;
  readonly reports: ReportPanels;
}

export type Command = (context: CommandContext, ...args: unknown[]) => Promise<void> | void;
