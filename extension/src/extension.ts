/** Wiring only: what exists, and which event reaches which part. */
import os from 'node:os';
import { extensions, window, workspace, type ExtensionContext } from 'vscode';
import { registerCommands } from './commands';
import { settingKeys, settingsSection } from './contributions';
import { colorDefaults } from './decorations/colors';
import { HeatDecorations } from './decorations/heat';
import { Launches } from './launch/launches';
import { createLog, describeError } from './log';
import { probePython } from './probe';
import { PythonSelection } from './python';
import { resolveServer } from './resolve';
import { Server } from './server';
import { readSettings } from './settings';
import { StatusItem } from './status/item';
import { TargetOutput } from './targetOutput';
import { loadReport } from './views/loadReport';
import { MeasuredFiles } from './views/measuredFiles';
import { ReportPanels } from './views/reportPanels';
import { Walkthrough } from './walkthrough';
import { duration } from './webview/format';

let server: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const log = createLog();
  const refresh = () => {
    running.refresh().catch((error: unknown) => {
      log.error(describeError(error));
    });
  };
  const selection = new PythonSelection(
    (id) => extensions.getExtension(id),
    refresh,
    (message) => {
      log.warn(message);
    },
  );
  const settings = () =>
    readSettings(workspace.getConfiguration(settingsSection), {
      workspaceFolder: workspace.workspaceFolders?.[0]?.uri.fsPath,
      userHome: os.homedir(),
      environment: process.env,
    });
  const measured = new MeasuredFiles();
  const heat = new HeatDecorations(colorDefaults(context.extension.packageJSON));
  const launches = new Launches(context.workspaceState);
  const status = new StatusItem((uri) => launches.describe(uri));
  const output = new TargetOutput();
  const walkthrough = new Walkthrough();
  let torch: string | undefined;
  const running = new Server({
    log,
    settings,
    onHeat: (lines) => {
      heat.show(lines);
    },
    onReport: ({ uri, report }) => {
      torch = report.run.torch ?? torch;
      status.hasRun(uri, report.step_ms ? duration(report.step_ms.median) : undefined);
      measured.add(uri);
      walkthrough.report(uri);
      reports.measured(uri);
    },
    onOutput: (printed) => {
      if (printed) output.take(printed);
      else output.show();
    },
    status,
    onHover: (uri) => {
      walkthrough.hover(uri);
    },
    completed: (parameters) => launches.complete(parameters),
    resolve: () =>
      resolveServer({
        trusted: workspace.isTrusted,
        setting: settings().interpreter,
        selected: () => selection.selected(currentScope()),
        fallback: process.platform === 'win32' ? 'python' : 'python3',
        probe: probePython,
        launcher: context.asAbsolutePath('dist/server/launch.py'),
      }),
  });
  server = running;
  const reports = new ReportPanels({
    extensionUri: context.extensionUri,
    load: (source) =>
      loadReport(running, source, (message) => {
        log.warn(message);
      }),
  });

  context.subscriptions.push(
    log,
    selection,
    heat,
    reports,
    status,
    output,
    launches.onDidChange(() => {
      status.draw();
    }),
    ...registerCommands({
      server: running,
      log,
      reports,
      extension: context,
      launches,
      output,
      status,
      torch: () => torch,
    }),
    workspace.onDidGrantWorkspaceTrust(refresh),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settingKeys.interpreter}`)) refresh();
      else if (event.affectsConfiguration(settingsSection)) void running.sendSettings();
    }),
  );
  await running.refresh();
}

/** VS Code waits for this, so that neither the server nor a run of it outlives the window. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Whose interpreter counts: the open file's, else the first folder's. */
function currentScope() {
  return window.activeTextEditor?.document.uri ?? workspace.workspaceFolders?.[0]?.uri;
}
