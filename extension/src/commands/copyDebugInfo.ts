/** "Copy debug information": what a report of a fault needs, to the clipboard and nowhere else. */
import os from 'node:os';
import { env, extensions, l10n, version, window, workspace } from 'vscode';
import { extensionId, settingKeys, settingsSection } from '../contributions';
import { debugInfo } from '../debugInfo';
import { describeLast, describeServer } from '../status/model';
import { statusWords } from '../status/item';
import type { Command } from './command';

export const copyDebugInfo: Command = async ({ server, log, status, torch }) => {
  const manifest = extensions.getExtension(extensionId)?.packageJSON as
    { version?: string } | undefined;
  const words = statusWords();
  const text = debugInfo({
    versions: {
      Stepscope: manifest?.version ?? '?',
      'VS Code': `${version} (${env.appHost}${env.remoteName ? `, ${env.remoteName}` : ''})`,
      Python: server.python ?? 'not known',
      PyTorch: torch() ?? 'not known before a first profile',
      system: `${os.type()} ${os.release()} ${os.arch()}`,
    },
    server: describeServer(status.server, words),
    lastRun: describeLast(status.last, words),
    settings: changedSettings(),
    errors: log.troubles,
    home: os.homedir(),
  });
  await env.clipboard.writeText(text);
  void window.showInformationMessage(
    l10n.t('Copied: versions, settings without values that may be secret, the last errors.'),
  );
};

function changedSettings(): Record<string, unknown> {
  const section = workspace.getConfiguration(settingsSection);
  return Object.fromEntries(
    Object.values(settingKeys)
      .filter((key) => {
        const { globalValue, workspaceValue, workspaceFolderValue } = section.inspect(key) ?? {};
        return [globalValue, workspaceValue, workspaceFolderValue].some((set) => set !== undefined);
      })
      .map((key) => [key, section.get(key)]),
  );
}
