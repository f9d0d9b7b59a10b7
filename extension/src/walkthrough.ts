/** What a person has done, for the steps of the walkthrough: context keys that they wait for. */
import { commands } from 'vscode';
import { contextKeys } from './contributions';

export class Walkthrough {
  private readonly measured = new Set<string>();
  private readonly done = new Set<string>();

  /** A report of `uri` has come. */
  report(uri: string): void {
    this.reach(this.measured.has(uri) ? contextKeys.measuredAgain : contextKeys.profiled);
    this.measured.add(uri);
  }

  /** A hover of a measured file was shown. */
  hover(uri: string): void {
    if (this.measured.has(uri)) this.reach(contextKeys.lineRead);
  }

  private reach(key: string): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    void commands.executeCommand('setContext', key, true);
  }
}
