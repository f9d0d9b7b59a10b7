/** The language client: how a resolved server is started and what passes between it and VS Code. */
import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type CloseHandlerResult,
  type ErrorHandler,
} from 'vscode-languageclient/node';
import { abilitiesFeature } from './abilities';
import { enterArguments } from './arguments';
import { commandIds, pythonLanguage, serverCommandIds, settingsSection } from './contributions';
import { savePythonFiles } from './documents';
import { ProgressNotifications } from './progress';
import {
  enterArgumentsRequest,
  heatNotification,
  reportNotification,
  saveFilesRequest,
  type HeatParams,
} from './protocol';
import type { ServerSettings } from './settings';

/** Commands that run a file as it is on the disk. */
const runsFiles = new Set<string>([serverCommandIds.profile, serverCommandIds.fixAndMeasure]);

export interface ClientOptions {
  readonly command: readonly string[];
  readonly log: LogOutputChannel;
  /** A file was measured, or a recording opened on it. */
  onReport(uri: string): void;
  /** Marks to draw; undefined where the server has gone. */
  onHeat(heat: HeatParams | undefined): void;
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
    // Standard input and output; naming that transport would add `--stdio` to the arguments.
    { command, args },
    {
      documentSelector: [{ scheme: 'file', language: pythonLanguage }],
      diagnosticCollectionName: settingsSection,
      outputChannel: options.log,
      // Links in hovers may run what is ours and nothing else.
      markdown: { isTrusted: { enabledCommands: Object.values(commandIds) } },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: new RestartAfterCrash(() => client.initializeResult !== undefined),
      // The rejected start tells it all; the client would say it twice.
      initializationFailedHandler: () => false,
      initializationOptions: () => ({ [settingsSection]: options.settings() }),
      middleware: {
        handleWorkDoneProgress: progress.middleware,
        // Reached from the palette and from code lenses alike.
        executeCommand: async (id, parameters, next) => {
          if (runsFiles.has(id) && !(await savePythonFiles())) return undefined;
          return next(id, parameters) as unknown;
        },
      },
    },
  );
  client.onDidChangeState(({ newState }) => {
    if (newState !== State.Stopped) return;
    progress.endAll();
    options.onHeat(undefined);
  });
  client.onNotification(reportNotification, ({ uri, report }) => {
    options.log.info(`report for ${uri}: ${report.lines.length} lines with a cost`);
    options.onReport(uri);
  });
  client.onNotification(heatNotification, (heat) => {
    options.onHeat(heat);
  });
  client.registerFeature(abilitiesFeature);
  client.onRequest(enterArgumentsRequest, enterArguments);
  client.onRequest(saveFilesRequest, savePythonFiles);
  await client.start();
  return client;
}

/**
 * A server that has worked and then crashed is started again, a few times. One that never answered
 * would fail again the same way, with a message each time.
 */
class RestartAfterCrash implements ErrorHandler {
  private static readonly limit = 3;
  private crashes = 0;

  constructor(private readonly hasWorked: () => boolean) {}

  error() {
    return { action: ErrorAction.Continue };
  }

  closed(): CloseHandlerResult {
    if (!this.hasWorked()) return { action: CloseAction.DoNotRestart, handled: true };
    this.crashes += 1;
    if (this.crashes <= RestartAfterCrash.limit) {
      return {
        action: CloseAction.Restart,
        message: 'The Stepscope server ended; starting it anew.',
      };
    }
    return {
      action: CloseAction.DoNotRestart,
      message: `The Stepscope server ended ${this.crashes} times and stays off; see its log.`,
    };
  }
}
