/** The page's only way out: messages to the panel, or nothing where it is a file of its own. */
import type { FromPage, Source } from './messages';

interface VsCodeApi {
  postMessage(message: FromPage): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface Host {
  /** null: no editor beside the page. */
  readonly send: ((message: FromPage) => void) | null;
  /** What a reloaded window starts with. */
  remember(source: Source): void;
}

export function connect(): Host {
  if (typeof acquireVsCodeApi !== 'function') return { send: null, remember: () => undefined };
  const api = acquireVsCodeApi();
  return {
    send: (message) => {
      api.postMessage(message);
    },
    remember: (source) => {
      api.setState({ source });
    },
  };
}
