/** Keeps the running server the one that was decided on: owns its start, restart and stop. */
import { isDeepStrictEqual } from 'node:util';
import { commands, l10n, window, type LogOutputChannel } from 'vscode';
import {
  DidChangeConfigurationNotification,
  State,
  type LanguageClient,
} from 'vscode-languageclient/node';
import { startClient } from './client';
import { settingKeys, settingsSection } from './contributions';
import { describeError } from './log';
import { CoalescingQueue } from './queue';
import type { RunParams } from './launch/launches';
import type { HeatParams, OutputParams, ReportParams } from './protocol';
import type { Resolution } from './resolve';
import type { ServerSettings, Settings } from './settings';
import type { StatusItem } from './status/item';

export interface ServerOptions {
  readonly log: LogOutputChannel;
  resolve(): Promise<Resolution>;
  settings(): Settings;
  /** A file was measured, or a recording opened on it. */
  onReport(params: ReportParams): void;
  onOutput(output: OutputParams | undefined): void;
  /** A hover of ours was shown. */
  onHover(uri: string): void;
  readonly status: StatusItem;
  completed(parameters: RunParams): RunParams;
  onHeat(heat: HeatParams | undefined): void;
}

export class Server {
  private client: LanguageClient | undefined;
  private resolution: Resolution | undefined;
  private forced = false;
  private readonly queue = new CoalescingQueue(() => this.update());

  constructor(private readonly options: ServerOptions) {}

  /** Decide again which server to run; restart only if that is another one now. */
  refresh(): Promise<void> {
    return this.queue.request();
  }

  /** Restart even if nothing changed. */
  restart(): Promise<void> {
    this.forced = true;
    return this.queue.request();
  }

  /** The Python that the server runs with: its version and path; undefined: none. */
  get python(): string | undefined {
    if (this.resolution?.kind !== 'ready') return undefined;
    const { version, interpreter } = this.resolution;
    return `${version.join('.')} (${interpreter.join(' ')})`;
  }

  isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** Whether the server runs, after trying once more to make it so. Says why when it does not. */
  async ensureRunning(): Promise<boolean> {
    // After a crash the client starts the server anew by itself; a second start would end that one.
    if (this.client?.state === State.Starting) await this.client.start().catch(() => undefined);
    if (this.isRunning()) return true;
    await this.refresh();
    if (this.isRunning()) return true;
    if (this.resolution) this.explain(this.resolution);
    return false;
  }

  /** Tell the server the settings that need no restart. */
  async sendSettings(): Promise<void> {
    if (!this.client?.isRunning()) return;
    const settings = { [settingsSection]: this.serverSettings() };
    await this.client.sendNotification(DidChangeConfigurationNotification.type, { settings });
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) await client.stop();
  }

  private async update(): Promise<void> {
    const resolution = await this.options.resolve();
    const wanted = this.forced || !this.isRunning();
    if (!wanted && isDeepStrictEqual(resolution, this.resolution)) return;
    const known = isDeepStrictEqual(resolution, this.resolution);
    this.forced = false;
    this.resolution = resolution;
    this.tellStatus(resolution);
    await this.stop();
    if (resolution.kind === 'ready') await this.start(resolution.command);
    // One message per problem; `ensureRunning` repeats it when somebody wants to profile.
    else if (resolution.kind === 'unusable' && !known) this.explain(resolution);
  }

  private async start(command: readonly string[]): Promise<void> {
    const { log } = this.options;
    log.info(`starting ${command.join(' ')}`);
    try {
      this.client = await startClient({
        command,
        log,
        onHeat: (heat) => {
          this.options.onHeat(heat);
        },
        settings: () => this.serverSettings(),
        onReport: (params) => {
          this.options.onReport(params);
        },
        onOutput: (output) => {
          this.options.onOutput(output);
        },
        onHover: (uri) => {
          this.options.onHover(uri);
        },
        status: this.options.status,
        completed: (parameters) => this.options.completed(parameters),
      });
    } catch (error) {
      // The client has shown a message with a button that opens the log.
      log.error(`the server did not start: ${describeError(error)}`);
      const why = l10n.t('its server did not start; see its log');
      this.options.status.serverIs({ kind: 'off', why });
    }
  }

  private tellStatus(resolution: Resolution): void {
    const { status } = this.options;
    switch (resolution.kind) {
      case 'ready':
        status.serverIs({ kind: 'starting' });
        return;
      case 'untrusted':
        status.serverIs({ kind: 'off', why: l10n.t('this workspace is not trusted') });
        return;
      case 'unusable':
        status.serverIs({ kind: 'off', why: resolution.message });
        return;
    }
  }

  private serverSettings(): ServerSettings {
    const interpreter = this.resolution?.kind === 'ready' ? this.resolution.interpreter : [];
    return { ...this.options.settings(), interpreter: [...interpreter] };
  }

  private explain(resolution: Resolution): void {
    switch (resolution.kind) {
      case 'ready':
        return;
      case 'untrusted':
        this.ask(
          'Stepscope runs your file, so it only works in a trusted workspace.',
          'Manage Workspace Trust',
          'workbench.trust.manage',
        );
        return;
      case 'unusable':
        this.ask(
          resolution.message,
          'Open Setting',
          'workbench.action.openSettings',
          `${settingsSection}.${settingKeys.interpreter}`,
        );
        return;
    }
  }

  /** A message with one action. */
  private ask(message: string, action: string, command: string, ...args: string[]): void {
    void window.showErrorMessage(message, action).then((chosen) => {
      if (chosen === action) void commands.executeCommand(command, ...args);
    });
  }
}
