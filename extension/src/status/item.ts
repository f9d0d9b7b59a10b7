/**
 * The status item: on the right, where VS Code's guidelines put what belongs to the open file, while
 * a Python file is open or a run goes on. A language status item would hide it behind a click.
 */
import {
  MarkdownString,
  StatusBarAlignment,
  ThemeColor,
  Uri,
  env,
  l10n,
  window,
  type Disposable,
} from 'vscode';
import { commandIds, pythonLanguage } from '../contributions';
import { showStatus, type LastRun, type ServerState, type Status, type StatusWords } from './model';

const BEFORE_LANGUAGE = 100;

export class StatusItem implements Disposable {
  private readonly item = window.createStatusBarItem(
    'stepscope.status',
    StatusBarAlignment.Right,
    BEFORE_LANGUAGE,
  );
  private status: Status = {
    server: { kind: 'starting' },
    running: undefined,
    last: undefined,
    launch: undefined,
  };
  private readonly editor = window.onDidChangeActiveTextEditor(() => {
    this.draw();
  });

  /** `launchOf` names what was chosen for a file. */
  constructor(private readonly launchOf: (uri: string) => string | undefined) {
    this.item.name = 'Stepscope';
    this.item.command = commandIds.showMenu;
    this.draw();
  }

  get server(): ServerState {
    return this.status.server;
  }

  get last(): LastRun | undefined {
    return this.status.last;
  }

  serverIs(server: ServerState): void {
    this.update({ server, ...(server.kind === 'ready' ? {} : { running: undefined }) });
  }

  runs(title: string, phase: string): void {
    this.update({ running: { title, phase } });
  }

  /** The run has ended; `hasRun` follows where there is a report. */
  ended(): void {
    this.update({ running: undefined });
  }

  /** `step` in words; undefined: there is no report. */
  hasRun(uri: string, step: string | undefined): void {
    const file = Uri.parse(uri).path.split('/').pop() ?? '';
    this.update({ last: { file, step, at: Date.now() } });
  }

  draw(): void {
    const document = window.activeTextEditor?.document;
    const isPython = document?.languageId === pythonLanguage;
    if (!isPython && !this.status.running) {
      this.item.hide();
      return;
    }
    const launch = isPython ? this.launchOf(document.uri.toString()) : undefined;
    const { text, tooltip, background } = showStatus({ ...this.status, launch }, statusWords());
    const shown = new MarkdownString();
    tooltip.forEach((line, index) => {
      if (index > 0) shown.appendMarkdown('\n\n');
      shown.appendText(line);
    });
    this.item.text = text;
    this.item.tooltip = shown;
    this.item.accessibilityInformation = { label: tooltip.join(', ') };
    this.item.backgroundColor =
      background === 'none' ? undefined : new ThemeColor(`statusBarItem.${background}Background`);
    this.item.show();
  }

  dispose(): void {
    this.editor.dispose();
    this.item.dispose();
  }

  private update(changes: Partial<Status>): void {
    this.status = { ...this.status, ...changes };
    this.draw();
  }
}

export function statusWords(): StatusWords {
  return {
    starting: l10n.t('starting'),
    ready: l10n.t('ready'),
    restarting: l10n.t('restarting after its server ended'),
    crashed: l10n.t('its server has ended and stays off; restart it'),
    off: (why) => l10n.t('off: {0}', why),
    lastRun: (file, step, time) => l10n.t('{0}: {1} per step, measured at {2}', file, step, time),
    failedRun: (file, time) => l10n.t('{0}: not measured ({1})', file, time),
    never: l10n.t('Nothing has been measured yet'),
    launch: (name) => l10n.t('This file is profiled with: {0}', name),
    time: (at) => new Date(at).toLocaleTimeString(env.language, { timeStyle: 'short' }),
  };
}
