/** The language client: how a resolved server is started and what passes between it and VS Code. */
import type { LogOutputChannel } from 'vscode';
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from 'vscode-languageclient/node';
import { pythonLanguage, serverCommandIds, settingsSection } from './contributions';
import { savePythonFiles } from './documents';
import { ProgressNotifications } from './progress';
import { reportNotification } from './protocol';
import type { ServerSettings } from './settings';

export interface ClientOptions {
  readonly command: readonly string[];
  readonly log: LogOutputChannel;
  /** Asked again whenever the client has to start the server anew. */
  settings(): ServerSettings;
}

/** Resolves when the server has answered `initialize`; rejects after the client has said why not. */
export async function startClient(options: ClientOptions): Promise<LanguageClient> {
  const [command = '', ...args] = options.command;
  const progress = new ProgressNotifications(() => client);
  const client: LanguageClient = new LanguageClient(
    settingsSection,
    'Stepscope',
    { command, args, transport: TransportKind.stdio },
    {
      documentSelector: [{ scheme: 'file', language: pythonLanguage }],
      diagnosticCollectionName: settingsSection,
      outputChannel: options.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ [settingsSection]: options.settings() }),
      middleware: {
        handleWorkDoneProgress: progress.middleware,
        // Reached from the palette and from code lenses alike.
        executeCommand: async (id, parameters, next) => {
          if (id === serverCommandIds.profile && !(await savePythonFiles())) return undefined;
          return next(id, parameters) as unknown;
        },
      },
    },
  );
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) progress.endAll();
  });
  client.onNotification(reportNotification, ({ uri, report }) => {
    options.log.info(`report for ${uri}: ${report.lines.length} lines with a cost`);
  });
  await client.start();
  return client;
}
