/** A configuration of `launch.json` for Python's debugger -> how to run the file for a profile. */
import path from 'node:path';
import { expandVariables, unknownVariables, type Variables } from '../variables';
import { splitWords } from '../words';
import { parseEnvFile } from './envFile';
import type { Launch } from './launch';

/** One entry of `configurations`, as somebody wrote it. */
export interface RawConfiguration {
  readonly type?: unknown;
  readonly request?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly env?: unknown;
  readonly [key: string]: unknown;
}

export interface Resolved {
  readonly launch: Launch;
  /** Why it cannot be profiled, one sentence; empty: it can. */
  readonly obstacles: readonly string[];
  /** What it asks for and a profile does not do, one sentence each. */
  readonly ignored: readonly string[];
}

const TYPES = ['debugpy', 'python'];
/** What the debugger asks its person for, and the interpreter that counts anyway. */
const PICK_ARGUMENTS = '${command:pickArgs}';
const SELECTED_PYTHON = ['${command:python.interpreterPath}', '${config:python.pythonPath}'];
/** Fields that would change what runs. */
const NOT_DONE = ['preLaunchTask', 'postDebugTask', 'pythonArgs', 'sudo'];

/** Whether the Python debugger would start a program for it. */
export function isPythonLaunch(raw: RawConfiguration): boolean {
  return (
    TYPES.includes(String(raw.type)) && raw.request !== 'attach' && typeof raw.name === 'string'
  );
}

/** `readFile` is asked for an `envFile`; undefined where there is none. */
export function resolveConfiguration(
  raw: RawConfiguration,
  variables: Variables,
  readFile: (file: string) => string | undefined,
  platform: NodeJS.Platform = process.platform,
): Resolved {
  const reader = new Reader({ ...raw, ...ofPlatform(raw, platform) }, variables);
  const program = reader.text('program');
  const cwd = reader.text('cwd');
  const python = reader.python();
  const args = reader.args();
  const env = reader.env(readFile);
  if (program === undefined) {
    reader.obstacles.push(
      reader.has('module')
        ? `module: Stepscope runs files; name the file of ${reader.shown('module')} as program.`
        : 'program is missing, so there is no file to run.',
    );
  }
  for (const key of NOT_DONE) {
    if (reader.has(key)) reader.ignored.push(`${key} is not used when a file is profiled.`);
  }
  const launch: Launch = {
    ...(program !== undefined && { program: absolute(program, variables) }),
    ...(cwd !== undefined && { cwd: absolute(cwd, variables) }),
    ...(python !== undefined && { python }),
    ...(args === 'ask' ? { enterArguments: true } : args && { args }),
    ...(env && { env }),
  };
  return { launch, obstacles: reader.obstacles, ignored: reader.ignored };
}

function ofPlatform(raw: RawConfiguration, platform: NodeJS.Platform): RawConfiguration {
  const key = platform === 'win32' ? 'windows' : platform === 'darwin' ? 'osx' : 'linux';
  const own = raw[key];
  return typeof own === 'object' && own !== null ? (own as RawConfiguration) : {};
}

function absolute(file: string, { workspaceFolder }: Variables): string {
  return workspaceFolder === undefined ? file : path.resolve(workspaceFolder, file);
}

class Reader {
  readonly obstacles: string[] = [];
  readonly ignored: string[] = [];

  constructor(
    private readonly raw: RawConfiguration,
    private readonly variables: Variables,
  ) {}

  has(key: string): boolean {
    const value = this.raw[key];
    return value !== undefined && value !== null && value !== '' && value !== false;
  }

  shown(key: string): string {
    return String(this.raw[key]);
  }

  text(key: string): string | undefined {
    if (!this.has(key)) return undefined;
    const value = this.raw[key];
    if (typeof value === 'string') return this.expand(key, value);
    this.obstacles.push(`${key} must be a text.`);
    return undefined;
  }

  python(): string | undefined {
    // The older name of the same field.
    const key = this.has('python') ? 'python' : 'pythonPath';
    const given = this.raw[key];
    const words: unknown[] = Array.isArray(given) ? given : this.has(key) ? [given] : [];
    const [first] = words;
    if (first === undefined || SELECTED_PYTHON.some((known) => known === first)) {
      return undefined;
    }
    if (words.length > 1 || typeof first !== 'string') {
      this.obstacles.push(`${key} must be one program: the path of an interpreter.`);
      return undefined;
    }
    return this.expand(key, first);
  }

  /** "ask": the debugger would ask for them. */
  args(): string[] | 'ask' | undefined {
    const given = this.raw.args;
    if (given === undefined || given === null) return undefined;
    if (given === PICK_ARGUMENTS || (Array.isArray(given) && given.includes(PICK_ARGUMENTS))) {
      return 'ask';
    }
    const words = typeof given === 'string' ? splitWords(given) : given;
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
      this.obstacles.push('args must be a list of texts, or one text with closed quotes.');
      return undefined;
    }
    return words.map((word) => this.expand('args', word));
  }

  env(readFile: (file: string) => string | undefined): Record<string, string> | undefined {
    const found: Record<string, string> = {};
    const file = this.text('envFile');
    if (file !== undefined) {
      const text = readFile(absolute(file, this.variables));
      if (text === undefined) this.ignored.push(`envFile: ${file} cannot be read.`);
      else Object.assign(found, parseEnvFile(text));
    }
    const given = this.has('env') ? this.raw.env : {};
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      this.obstacles.push('env must be an object of texts.');
      return undefined;
    }
    for (const [name, value] of Object.entries(given as Record<string, unknown>)) {
      if (typeof value === 'string') found[name] = this.expand(`env.${name}`, value);
      else this.ignored.push(`env.${name} is no text.`);
    }
    return Object.keys(found).length > 0 ? found : undefined;
  }

  private expand(key: string, text: string): string {
    const expanded = expandVariables(text, this.variables);
    const unknown = unknownVariables(expanded);
    if (unknown.length > 0) {
      this.obstacles.push(`${key} has ${unknown.join(', ')}, which only the debugger can ask for.`);
    }
    return expanded;
  }
}
