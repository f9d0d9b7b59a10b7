/** A real VS Code with a fresh profile: the packed extension installed, a workspace opened. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { MARK } from './processes.mjs';
import { until } from './until.mjs';

const USER_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'window.commandCenter': false,
  'editor.minimap.enabled': false,
  'editor.accessibilitySupport': 'off',
  'files.autoSave': 'off',
};

function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2));
}

function freePort() {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Everything it writes is under `home`. `settings` are the machine's; `run` marks its processes.
 * Returns `{ url(file), writeSettings(more), log(), stop() }`.
 */
export async function startCodeServer({ editor, vsix, home, workspace, settings, run, trust }) {
  const data = path.join(home, 'data');
  writeJson(path.join(data, 'User', 'settings.json'), USER_SETTINGS);
  // A browser is a remote window: what names a path counts only in the settings of the machine.
  const writeSettings = (more) =>
    writeJson(path.join(data, 'Machine', 'settings.json'), { ...settings, ...more });
  writeSettings({});

  const env = {
    ...process.env,
    [MARK]: run,
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_DATA_HOME: path.join(home, 'share'),
    EXTENSIONS_GALLERY: '{}',
  };
  delete env.PASSWORD;
  delete env.PORT;
  delete env.VSCODE_IPC_HOOK_CLI;
  const common = [editor.server, '--auth', 'none', '--user-data-dir', data];
  common.push('--extensions-dir', path.join(home, 'extensions'));
  common.push('--disable-telemetry', '--disable-update-check');
  if (trust) common.push('--disable-workspace-trust');
  common.push('--disable-getting-started-override', '--ignore-last-opened');

  const installed = spawnSync(editor.node, [...common, '--install-extension', vsix], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (installed.status !== 0) {
    throw new Error(`the .vsix could not be installed:\n${installed.stdout}${installed.stderr}`);
  }

  const port = await freePort();
  const server = spawn(editor.node, [...common, '--bind-addr', `127.0.0.1:${port}`], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (log += text));
  }
  const gone = new Promise((resolve) => server.once('exit', resolve));
  await until('code-server answers', async () => {
    if (server.exitCode !== null) throw new Error(`code-server ended:\n${log}`);
    try {
      return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
    } catch {
      return false;
    }
  });

  return {
    url(file) {
      const encoded = encodeURI(path.join(workspace, file));
      const open = [['openFile', `vscode-remote://127.0.0.1:${port}${encoded}`]];
      const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(open) });
      return `http://127.0.0.1:${port}/?${query}`;
    },
    writeSettings,
    log: () => log,
    /** What the extension and the language server have logged. */
    extensionLog() {
      const files = readdirSync(path.join(data, 'logs'), { recursive: true });
      return files
        .filter((file) => /Stepscope.*\.log$/.test(file))
        .map((file) => readFileSync(path.join(data, 'logs', file), 'utf8'))
        .join('\n');
    },
    /** As when a machine shuts down: asked to end, and given the time to. */
    async stop() {
      if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
      await gone;
    },
  };
}
