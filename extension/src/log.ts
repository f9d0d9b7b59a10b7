/** The log: one channel for the extension and for what the server writes to standard error. */
import { window, type LogOutputChannel } from 'vscode';

export function createLog(): LogOutputChannel {
  return window.createOutputChannel('Stepscope', { log: true });
}

/** The text of whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
