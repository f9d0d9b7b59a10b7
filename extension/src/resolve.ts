/**
 * Which server to start, decided as a value: compared with the running one, tested without VS Code,
 * and acted upon in `server.ts`.
 */
import type { SelectedPython } from './python';

export type Resolution =
  | {
      readonly kind: 'ready';
      /** Starts the server. */
      readonly command: readonly string[];
      /** Runs the profiled file: the same Python, by its full path. */
      readonly interpreter: readonly string[];
      readonly version: readonly [number, number];
    }
  | { readonly kind: 'untrusted' }
  | { readonly kind: 'unusable'; readonly message: string };

/** What a Python says about itself. */
export interface Probed {
  readonly version: readonly [number, number];
  readonly executable: string;
}

export interface ResolveInput {
  readonly trusted: boolean;
  /** The setting; empty when not set. */
  readonly setting: readonly string[];
  readonly selected: () => Promise<SelectedPython | undefined>;
  readonly fallback: string;
  /** Rejects when the command does not start or does not answer. */
  readonly probe: (command: readonly string[]) => Promise<Probed>;
  /** Path of the bundled launch.py. */
  readonly launcher: string;
}

const OLDEST = [3, 10] as const;

/**
 * 1. Nothing runs in a workspace that is not trusted.
 * 2. What is selected in VS Code (see python.ts) is what the user runs everything else with.
 * 3. Else, no Python extension being there, `stepscope.interpreter`.
 * 4. Else `python3`, on Windows `python`.
 */
export async function resolveServer(input: ResolveInput): Promise<Resolution> {
  if (!input.trusted) return { kind: 'untrusted' };
  const [command, from] = await chooseInterpreter(input);
  const name = command.join(' ');
  let probed: Probed;
  try {
    probed = await input.probe(command);
  } catch {
    return {
      kind: 'unusable',
      message: `Stepscope cannot start Python as "${name}" (from ${from}).`,
    };
  }
  const [major, minor] = probed.version;
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    return {
      kind: 'unusable',
      message: `Stepscope needs Python 3.10 or newer; "${name}" (from ${from}) is ${major}.${minor}.`,
    };
  }
  // A bare name means another Python as soon as PATH differs, so the full path is passed on. A
  // command with arguments (`conda run -n env python`) is more than its executable: kept as it is.
  const interpreter = command.length === 1 ? [probed.executable] : command;
  return {
    kind: 'ready',
    command: [...interpreter, input.launcher, 'serve'],
    interpreter,
    version: probed.version,
  };
}

async function chooseInterpreter(
  input: ResolveInput,
): Promise<[command: readonly string[], from: string]> {
  const selected = await input.selected();
  if (selected) return [selected.command, `the ${selected.from} extension`];
  if (input.setting.length > 0) return [input.setting, 'the setting stepscope.interpreter'];
  return [[input.fallback], 'the PATH'];
}
