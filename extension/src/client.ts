/** The language client: how a resolved server is started and what passes between it and VS Code. */
import { l10n, Uri, window, type LogOutputChannel } from 'vscode';
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
import type { RunParams } from './launch/launches';
import { ProgressNotifications } from './progress';
import {
  enterArgumentsRequest,
  heatNotification,
  outputNotification,
  reportNotification,
  saveFilesRequest,
  showOutputNotification,
  type HeatParams,
  type OutputParams,
  type ReportParams,
} from './protocol';
import type { ServerSettings } from './settings';
import type { StatusItem } from './status/item';

/** Commands that run a file as it is on the disk. */
const runsFiles = new Set<string>([serverCommandIds.profile, serverCommandIds.fixAndMeasure]);

export interface ClientOptions {
  readonly command: readonly string[];
  readonly log: LogOutputChannel;
  /** A file was measured, or a recording opened on it. */
  onReport(params: ReportParams): void;
  /** A file printed something; undefined: it is to be shown. */
  onOutput(output: OutputParams | undefined): void;
  /** A hover of ours was shown. */
  onHover(uri: string): void;
  readonly status: StatusItem;
  /** Parameters of a run -> the same with what was chosen for the file. */
  completed(parameters: RunParams): RunParams;
  /** Marks to draw; undefined where the server has gone. */
  onHeat(heat: HeatParams | undefined): void;
  /** Asked again whenever the client has to start the server anew. */
  settings(): ServerSettings;
}

/** Resolves when the server has answered `initialize`; rejects after the client has said why not. */
export async function startClient(options: ClientOptions): Promise<LanguageClient> {
  const [command = '', ...args] = options.command;
  const progress = new ProgressNotifications(() => client, options.status);
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
      errorHandler: new RestartAfterCrash(
        () => client.initializeResult !== undefined,
        (kind) => {
          options.status.serverIs({ kind });
          if (kind === 'restarting') {
            void window.showWarningMessage(
              l10n.t('The server of Stepscope ended and is started again; what it showed is gone.'),
            );
          }
        },
      ),
      // The rejected start tells it all; the client would say it twice.
      initializationFailedHandler: () => false,
      initializationOptions: () => ({ [settingsSection]: options.settings() }),
      middleware: {
        handleWorkDoneProgress: progress.middleware,
        provideHover: async (document, position, cancellation, next) => {
          const hover = await next(document, position, cancellation);
          if (hover) options.onHover(document.uri.toString());
          return hover;
        },
        // Reached from the palette and from code lenses alike.
        executeCommand: async (id, parameters, next) => {
          if (runsFiles.has(id) && !(await savePythonFiles())) return undefined;
          if (id !== serverCommandIds.profile) return next(id, parameters) as unknown;
          const given = parameters[0] as RunParams;
          const run = options.completed(given);
          tellOfAnother(given.uri, run.uri);
          const answer = (await next(id, [run])) as { ok?: boolean } | null;
          if (answer?.ok === false) options.status.hasRun(run.uri, undefined);
          return answer;
        },
      },
    },
  );
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) options.status.serverIs({ kind: 'ready' });
    if (newState !== State.Stopped) return;
    const [stopped] = progress.endAll();
    if (stopped !== undefined) {
      void window.showWarningMessage(
        l10n.t('{0}: stopped, because the server of Stepscope has ended.', stopped),
      );
    }
    options.onHeat(undefined);
  });
  client.onNotification(reportNotification, ({ uri, report }) => {
    options.log.info(`report for ${uri}: ${report.lines.length} lines with a cost`);
    options.onReport({ uri, report });
  });
  client.onNotification(outputNotification, (output) => {
    options.onOutput(output);
  });
  client.onNotification(showOutputNotification, () => {
    options.onOutput(undefined);
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

/** A configuration may be for another program than the file that is open. */
function tellOfAnother(opened: string, run: string): void {
  if (opened === run) return;
  const [name, other] = [opened, run].map((uri) => Uri.parse(uri).path.split('/').pop() ?? '');
  void window.showInformationMessage(
    l10n.t('What was chosen for {0} profiles another program: {1}.', name ?? '', other ?? ''),
  );
}

/**
 * A server that has worked and then crashed is started again, a few times. One that never answered
 * would fail again the same way, with a message each time.
 */
class RestartAfterCrash implements ErrorHandler {
  private static readonly limit = 3;
  private crashes = 0;

  constructor(
    private readonly hasWorked: () => boolean,
    private readonly tell: (state: 'restarting' | 'crashed') => void,
  ) {}

  error() {
    return { action: ErrorAction.Continue };
  }

  closed(): CloseHandlerResult {
    if (!this.hasWorked()) return { action: CloseAction.DoNotRestart, handled: true };
    this.crashes += 1;
    const restarts = this.crashes <= RestartAfterCrash.limit;
    this.tell(restarts ? 'restarting' : 'crashed');
    if (restarts) {
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
