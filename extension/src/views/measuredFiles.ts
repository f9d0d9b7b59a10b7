/** The files that have a report, as menus know them. */
import { commands, Uri } from 'vscode';
import { contextKeys } from '../contributions';

export class MeasuredFiles {
  private readonly files = new Set<string>();

  /** By their paths: in a remote window the workbench and we name them with different schemes. */
  add(uri: string): void {
    this.files.add(Uri.parse(uri).fsPath);
    void commands.executeCommand('setContext', contextKeys.measured, [...this.files]);
  }
}
