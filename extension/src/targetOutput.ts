/** What the profiled file prints, in a channel of its own: the output of the last run. */
import { l10n, window, type Disposable, type OutputChannel } from 'vscode';
import type { OutputParams } from './protocol';

export class TargetOutput implements Disposable {
  /** Made when there is something to show: an empty channel is one more entry in a list. */
  private channel: OutputChannel | undefined;

  take({ text, begins }: OutputParams): void {
    if (begins) this.channel?.clear();
    else this.open().appendLine(text);
  }

  show(): void {
    this.open().show(true);
  }

  dispose(): void {
    this.channel?.dispose();
  }

  private open(): OutputChannel {
    this.channel ??= window.createOutputChannel(l10n.t('Stepscope: Output of the target'));
    return this.channel;
  }
}
