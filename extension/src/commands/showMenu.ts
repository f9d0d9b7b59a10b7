/** The menu behind the status item. */
import { commands, l10n, window, type QuickPickItem } from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { describeLast, describeServer } from '../status/model';
import { statusWords } from '../status/item';
import type { Command } from './command';

export const showMenu: Command = async ({ status }) => {
  const words = statusWords();
  const entry = (icon: string, label: string, command: CommandId) => ({
    label: `$(${icon}) ${label}`,
    command,
  });
  const entries: (QuickPickItem & { command: CommandId })[] = [
    entry('flame', l10n.t('Profile this model'), commandIds.profileModel),
    entry('run-all', l10n.t('Profile with...'), commandIds.profileWith),
    entry('graph', l10n.t('Open report'), commandIds.openReport),
    entry('terminal', l10n.t('Show output of the target'), commandIds.showOutput),
    entry('output', l10n.t('Show log'), commandIds.showLog),
    entry('debug-restart', l10n.t('Restart server'), commandIds.restartServer),
    entry('copy', l10n.t('Copy debug information'), commandIds.copyDebugInfo),
  ];
  const chosen = await window.showQuickPick(entries, {
    title: `Stepscope: ${describeServer(status.server, words)}`,
    placeHolder: describeLast(status.last, words),
  });
  if (chosen) await commands.executeCommand(chosen.command);
};
