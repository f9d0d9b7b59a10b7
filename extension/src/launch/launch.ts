/** How one file is to be run, beside the settings: what a person chose for it. */

/** Parameters of the server's `profile`; what is missing is as the settings say. */
export interface Launch {
  /** Another file than the open one. */
  readonly program?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly python?: string;
  readonly steps?: number;
  readonly processes?: number;
  /** Ask for the arguments each time. */
  readonly enterArguments?: boolean;
}

/** What is remembered of a file: a configuration by name, so that edits of it count, and changes. */
export interface Choice {
  readonly configuration?: { readonly name: string; readonly folder: string };
  readonly changes: Launch;
}

/** Short names of what a choice is, for the status item and the progress. */
export function describeChoice({ configuration, changes }: Choice): string {
  const named = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => describeField(key as keyof Launch, value));
  return [...(configuration ? [configuration.name] : []), ...named].join(', ');
}

function describeField(key: keyof Launch, value: unknown): string {
  if (key === 'args') return (value as string[]).join(' ') || 'no arguments';
  // Values of variables may be secrets.
  if (key === 'env') return `env ${Object.keys(value as object).join(' ')}`.trim();
  return `${key} ${String(value)}`;
}

/** One launch over another: what the second one says counts. */
export function merge(below: Launch, above: Launch): Launch {
  return {
    ...below,
    ...above,
    ...(below.env || above.env ? { env: { ...below.env, ...above.env } } : {}),
    // Arguments that were entered are not asked for again.
    ...(above.args ? { enterArguments: false } : {}),
  };
}
