/** What the status item says, worked out as a value from what happened. */

export type ServerState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'crashed' }
  | { readonly kind: 'off'; readonly why: string };

export interface LastRun {
  readonly file: string;
  /** A step, in words; undefined: the run failed or was cancelled. */
  readonly step: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Status {
  readonly server: ServerState;
  /** The progress of the run in progress: its title, and what it says now. */
  readonly running: { readonly title: string; readonly phase: string } | undefined;
  readonly last: LastRun | undefined;
  /** What was chosen for the file in the editor. */
  readonly launch: string | undefined;
}

/** The words, in the person's language. */
export interface StatusWords {
  readonly starting: string;
  readonly ready: string;
  readonly restarting: string;
  readonly crashed: string;
  off(why: string): string;
  lastRun(file: string, step: string, time: string): string;
  failedRun(file: string, time: string): string;
  readonly never: string;
  launch(name: string): string;
  time(at: number): string;
}

export interface Shown {
  /** With one icon, as VS Code's guidelines ask for. */
  readonly text: string;
  /** One entry per line. */
  readonly tooltip: readonly string[];
  readonly background: 'none' | 'warning' | 'error';
}

export function showStatus(status: Status, words: StatusWords): Shown {
  const { server, running, last, launch } = status;
  const tooltip = [
    `Stepscope: ${describeServer(server, words)}`,
    running ? `${running.title}: ${running.phase}` : describeLast(last, words),
    ...(launch === undefined ? [] : [words.launch(launch)]),
  ];
  return { ...label(status), tooltip };
}

export function describeServer(server: ServerState, words: StatusWords): string {
  return server.kind === 'off' ? words.off(server.why) : words[server.kind];
}

export function describeLast(last: LastRun | undefined, words: StatusWords): string {
  if (!last) return words.never;
  const time = words.time(last.at);
  return last.step === undefined
    ? words.failedRun(last.file, time)
    : words.lastRun(last.file, last.step, time);
}

function label({ server, running, last }: Status): Pick<Shown, 'text' | 'background'> {
  switch (server.kind) {
    case 'crashed':
      return { text: '$(error) Stepscope', background: 'error' };
    case 'off':
      return { text: '$(circle-slash) Stepscope', background: 'warning' };
    case 'starting':
    case 'restarting':
      return { text: '$(loading~spin) Stepscope', background: 'none' };
    case 'ready':
      if (running) return { text: `$(loading~spin) ${running.phase}`, background: 'none' };
      if (last?.step === undefined) return { text: '$(flame) Stepscope', background: 'none' };
      return { text: `$(flame) ${last.step}`, background: 'none' };
  }
}
