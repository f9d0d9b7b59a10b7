/** The files that have a report, as menus know them. */
import { commands, Uri } from 'vscode';
import { contextKeys } from '../contributions';

export class MeasuredFiles {
  private readonly files = new Set<string>();

  /** `uri` as anyone writes it. */
  add(uri: string): void {
    this.files.add(Uri.parse(uri).toString());
    void commands.executeCommand('setContext', contextKeys.measured, [...this.files]);
  }
}
