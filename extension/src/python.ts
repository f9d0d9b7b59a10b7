/**
 * Which Python the user has selected in VS Code.
 *
 * Two extensions can tell, both optional: Python Environments, and the older Python extension. Only
 * the few members read here are typed; everything they return is checked, since their versions are
 * not ours to choose.
 */
import type { Uri } from 'vscode';

/** The part of `vscode.extensions` that is needed here. */
export type GetExtension = (id: string) =>
  | {
      activate(): Thenable<unknown>;
    }
  | undefined;

interface Disposable {
  dispose(): unknown;
}

/** One source of the selected interpreter. */
interface PythonSource {
  /** For the log. */
  readonly name: string;
  /** The command for files in `scope`, or undefined when none is selected. */
  interpreter(scope: Uri | undefined): Promise<string[] | undefined>;
  onDidChange(listener: () => void): Disposable;
}

interface EnvironmentsApi {
  getEnvironment(scope: Uri | undefined): Promise<
    | {
        readonly execInfo?: {
          readonly run?: { readonly executable?: string; readonly args?: readonly string[] };
        };
      }
    | undefined
  >;
  onDidChangeEnvironment(listener: () => void): Disposable;
}

interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(scope: Uri | undefined): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable?: { readonly uri?: Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): Disposable;
  };
}

/** In order of trust. */
const SOURCES: readonly { id: string; connect: (api: unknown) => PythonSource | undefined }[] = [
  { id: 'ms-python.vscode-python-envs', connect: connectEnvironments },
  { id: 'ms-python.python', connect: connectPython },
];

function connectEnvironments(api: unknown): PythonSource | undefined {
  if (!hasMethod<EnvironmentsApi>(api, 'getEnvironment')) return undefined;
  return {
    name: 'Python Environments',
    async interpreter(scope) {
      const run = (await api.getEnvironment(scope))?.execInfo?.run;
      return run?.executable ? [run.executable, ...(run.args ?? [])] : undefined;
    },
    onDidChange: (listener) => api.onDidChangeEnvironment(listener),
  };
}

function connectPython(api: unknown): PythonSource | undefined {
  const environments = (api as Partial<PythonApi> | undefined)?.environments;
  if (!hasMethod<PythonApi['environments']>(environments, 'resolveEnvironment')) return undefined;
  return {
    name: 'Python',
    async interpreter(scope) {
      const active = environments.getActiveEnvironmentPath(scope);
      const executable = (await environments.resolveEnvironment(active))?.executable?.uri?.fsPath;
      return executable ? [executable] : undefined;
    },
    onDidChange: (listener) => environments.onDidChangeActiveEnvironmentPath(listener),
  };
}

function hasMethod<T>(value: unknown, method: keyof T): value is T {
  return typeof (value as T | undefined)?.[method] === 'function';
}

export interface SelectedPython {
  readonly command: string[];
  /** Who says so, for the log. */
  readonly from: string;
}

/** How long another extension may take, which may be looking for environments all over the disk. */
const PATIENCE_MS = 20_000;

/** The selection of all installed sources, first come first served. */
export class PythonSelection {
  private sources: Promise<PythonSource[]> | undefined;
  private readonly listening: Disposable[] = [];

  constructor(
    private readonly getExtension: GetExtension,
    private readonly onDidChange: () => void,
    private readonly warn: (message: string) => void,
  ) {}

  /** What is selected for `scope`; undefined when nobody can tell. */
  async selected(scope: Uri | undefined): Promise<SelectedPython | undefined> {
    this.sources ??= this.connect();
    for (const source of await this.sources) {
      try {
        const command = await inTime(source.interpreter(scope));
        if (command) return { command, from: source.name };
      } catch (error) {
        this.warn(`the ${source.name} extension could not tell the interpreter: ${String(error)}`);
      }
    }
    return undefined;
  }

  dispose(): void {
    for (const subscription of this.listening) subscription.dispose();
  }

  private async connect(): Promise<PythonSource[]> {
    const found: PythonSource[] = [];
    for (const { id, connect } of SOURCES) {
      try {
        const source = connect(await inTime(this.getExtension(id)?.activate()));
        if (!source) continue;
        this.listening.push(source.onDidChange(this.onDidChange));
        found.push(source);
      } catch (error) {
        this.warn(`${id} did not start: ${String(error)}`);
      }
    }
    return found;
  }
}

/** Rejects when `answer` takes longer than anybody would wait. */
async function inTime<T>(answer: Thenable<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`));
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
