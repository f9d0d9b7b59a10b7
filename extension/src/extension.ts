/** Wiring only: what exists, and which event reaches which part. */
import os from 'node:os';
import { extensions, window, workspace, type ExtensionContext } from 'vscode';
import { registerCommands } from './commands';
import { settingKeys, settingsSection } from './contributions';
import { colorDefaults } from './decorations/colors';
import { HeatDecorations } from './decorations/heat';
import { createLog, describeError } from './log';
import { probePython } from './probe';
import { PythonSelection } from './python';
import { resolveServer } from './resolve';
import { Server } from './server';
import { readSettings } from './settings';
import { loadReport } from './views/loadReport';
import { MeasuredFiles } from './views/measuredFiles';
import { ReportPanels } from './views/reportPanels';

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
  const running = new Server({
    log,
    settings,
    onHeat: (lines) => {
      heat.show(lines);
    },
    onReport: (uri) => {
      measured.add(uri);
      reports.measured(uri);
    },
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
    ...registerCommands({ server: running, log, reports }),
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
