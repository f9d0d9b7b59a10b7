/** The settings: read, checked, and put into the shape that the server gets. */
import { settingKeys } from './contributions';
import { expandVariables, type Variables } from './variables';

export const HINT_PRECISIONS = ['off', 'share', 'full'] as const;
export type HintPrecision = (typeof HINT_PRECISIONS)[number];

/** What the server is told, in `initializationOptions` and `workspace/didChangeConfiguration`. */
export interface ServerSettings {
  /** The command that runs the profiled file, with its own arguments. */
  interpreter: string[];
  args: string[];
  cwd: string;
  steps: number | null;
  /** Seconds until the first step. */
  timeout: number;
  /** How models are made and called, by class. */
  modelInputs: Readonly<Record<string, ModelInputs>>;
  /** Seconds without a step until the person is asked whether to wait. */
  askAfter: number;
  /** Seconds that one step may take. */
  stepTimeout: number;
  /** Seconds that the file gets to end by itself. */
  grace: number;
  /** Run on the CPU what the file asks an accelerator for. */
  cpu: boolean;
  env: Record<string, string>;
  /** Existing files stay as they are, trackers stay offline. */
  guard: boolean;
  /** Ranks that torchrun starts; null: the file runs on its own. */
  processesPerNode: number | null;
  /** Rules that are off, and how loud the others are. */
  rules: { disable: string[]; severity: Record<string, string> };
  /** How much stands at the ends of lines. */
  inlayHints: { precision: HintPrecision };
  codeLens: { run: boolean; totals: boolean };
  heat: { enabled: boolean };
  /** Where the source files of recorded traces are: what a path begins with, and a folder here. */
  trace: { sourceMap: Record<string, string> };
}

/** Python expressions; what is not given is worked out from the file. */
export interface ModelInputs {
  model?: string;
  inputs?: string;
}

export type Settings = Omit<ServerSettings, 'interpreter'> & {
  /** Empty: not set by the user. */
  interpreter: string[];
};

/** The part of `vscode.WorkspaceConfiguration` that is needed here. */
export interface SettingsReader {
  get(key: string): unknown;
}

const DEFAULTS = { timeout: 300, askAfter: 60, stepTimeout: 120, grace: 5 };

/** Read every setting; a value of the wrong type counts as not set (VS Code underlines it). */
export function readSettings(reader: SettingsReader, variables: Variables): Settings {
  const strings = (key: string) => asStrings(reader.get(key));
  const expand = (text: string) => expandVariables(text, variables);
  const seconds = (key: keyof typeof DEFAULTS) =>
    asPositive(reader.get(settingKeys[key])) ?? DEFAULTS[key];
  const cwd = reader.get(settingKeys.cwd);
  return {
    interpreter: strings(settingKeys.interpreter).map(expand),
    args: strings(settingKeys.args).map(expand),
    cwd: typeof cwd === 'string' ? expand(cwd) : '',
    steps: asPositive(reader.get(settingKeys.steps)),
    modelInputs: asModelInputs(reader.get(settingKeys.modelInputs)),
    timeout: seconds('timeout'),
    askAfter: seconds('askAfter'),
    stepTimeout: seconds('stepTimeout'),
    grace: seconds('grace'),
    cpu: reader.get(settingKeys.cpu) === true,
    env: asVariables(reader.get(settingKeys.env), expand),
    guard: reader.get(settingKeys.guard) !== false,
    processesPerNode: asPositive(reader.get(settingKeys.processesPerNode)),
    rules: {
      disable: strings(settingKeys.disabledRules),
      severity: asWords(reader.get(settingKeys.ruleSeverity)),
    },
    inlayHints: {
      precision:
        HINT_PRECISIONS.find((known) => known === reader.get(settingKeys.hintPrecision)) ?? 'full',
    },
    codeLens: {
      run: reader.get(settingKeys.runLenses) !== false,
      totals: reader.get(settingKeys.totalLenses) !== false,
    },
    heat: { enabled: reader.get(settingKeys.heat) !== false },
    trace: { sourceMap: asVariables(reader.get(settingKeys.traceSourceMap), expand) },
  };
}

function asStrings(value: unknown): string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : [];
}

function asModelInputs(value: unknown): Record<string, ModelInputs> {
  const found: Record<string, ModelInputs> = {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return found;
  for (const [name, entry] of Object.entries(value as Record<string, unknown>)) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { model, inputs } = entry as Record<string, unknown>;
    found[name] = {
      ...(typeof model === 'string' ? { model } : {}),
      ...(typeof inputs === 'string' ? { inputs } : {}),
    };
  }
  return found;
}

function asVariables(value: unknown, expand: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(asWords(value)).map(([name, text]) => [name, expand(text)]),
  );
}

function asWords(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const pairs = Object.entries(value);
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) return {};
  return Object.fromEntries(pairs);
}

function asPositive(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}
