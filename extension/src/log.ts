/** The log: one channel for the extension and for what the server writes to standard error. */
import { window, type LogOutputChannel } from 'vscode';

const KEPT = 20;

export interface Log extends LogOutputChannel {
  /** The last warnings and errors, the oldest first. */
  readonly troubles: readonly string[];
}

export function createLog(): Log {
  const channel = window.createOutputChannel('Stepscope', { log: true });
  const troubles: string[] = [];
  const remember = (kind: 'warn' | 'error') => {
    const write = channel[kind].bind(channel);
    return (message: string | Error, ...more: unknown[]) => {
      troubles.push(`${kind}: ${describeError(message).trimEnd()}`);
      troubles.splice(0, troubles.length - KEPT);
      write(message as string, ...more);
    };
  };
  const kept = { warn: remember('warn'), error: remember('error'), troubles };
  return new Proxy(channel, {
    get: (target, key) => {
      if (key in kept) return kept[key as keyof typeof kept];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as Log;
}

/** The text of whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
