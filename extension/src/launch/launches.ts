/** What was chosen for each file: kept with the workspace, and made into parameters of a run. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { EventEmitter, l10n, Uri, workspace, type Memento, type WorkspaceFolder } from 'vscode';
import type { Variables } from '../variables';
import {
  isPythonLaunch,
  resolveConfiguration,
  type RawConfiguration,
  type Resolved,
} from './configuration';
import { describeChoice, merge, type Choice } from './launch';

const KEY = 'stepscope.launches';

/** A configuration, and the folder whose `launch.json` has it. */
export interface Found {
  readonly name: string;
  readonly folder: WorkspaceFolder;
  readonly raw: RawConfiguration;
}

export interface RunParams {
  readonly uri: string;
  readonly [key: string]: unknown;
}

export class Launches {
  private readonly changed = new EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly state: Memento) {}

  /** What was chosen for `uri`; undefined: the settings alone. */
  chosen(uri: string): Choice | undefined {
    return this.state.get<Record<string, Choice>>(KEY, {})[uri];
  }

  /** For the status item and the progress; undefined: nothing was chosen. */
  describe(uri: string): string | undefined {
    const choice = this.chosen(uri);
    return choice && describeChoice(choice);
  }

  async choose(uri: string, choice: Choice | undefined): Promise<void> {
    const all = new Map(Object.entries(this.state.get<Record<string, Choice>>(KEY, {})));
    if (choice) all.set(uri, choice);
    else all.delete(uri);
    await this.state.update(KEY, Object.fromEntries(all));
    this.changed.fire();
  }

  /** Every configuration of the Python debugger, of all folders. */
  configurations(): Found[] {
    return (workspace.workspaceFolders ?? []).flatMap((folder) => {
      const all: unknown = workspace.getConfiguration('launch', folder).get('configurations');
      return (Array.isArray(all) ? all : [])
        .filter((raw): raw is RawConfiguration => typeof raw === 'object' && raw !== null)
        .filter(isPythonLaunch)
        .map((raw) => ({ name: String(raw.name), folder, raw }));
    });
  }

  resolve({ raw, folder }: Found, uri: string): Resolved {
    return resolveConfiguration(raw, variablesOf(folder, uri), (file) => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return undefined;
      }
    });
  }

  /**
   * The parameters of a run with what was chosen for its file added; what was given counts more.
   * Throws an Error with a sentence where the choice is no longer possible.
   */
  complete(given: RunParams): RunParams {
    const { uri } = given;
    const choice = this.chosen(uri);
    if (!choice) return given;
    const { program, ...launch } = merge(this.base(choice, uri), choice.changes);
    const other = program === undefined ? uri : Uri.file(program).toString();
    // A loop that was chosen in the open file is none of the other program.
    if (other !== uri && 'loop' in given) return given;
    const { symbol, ...rest } = given;
    return {
      ...launch,
      launch: describeChoice(choice),
      ...rest,
      ...(other === uri && symbol !== undefined ? { symbol } : {}),
      uri: other,
    };
  }

  private base({ configuration }: Choice, uri: string) {
    if (!configuration) return {};
    const found = this.configurations().find(
      ({ name, folder }) =>
        name === configuration.name && folder.uri.toString() === configuration.folder,
    );
    if (!found) {
      throw new Error(
        l10n.t(
          'The configuration "{0}" is no longer in launch.json; choose again with "Profile with...".',
          configuration.name,
        ),
      );
    }
    const { launch, obstacles } = this.resolve(found, uri);
    if (obstacles.length > 0) {
      throw new Error(
        l10n.t('The configuration "{0}" cannot be profiled: {1}', found.name, obstacles.join(' ')),
      );
    }
    return launch;
  }
}

function variablesOf(folder: WorkspaceFolder, uri: string): Variables {
  return {
    workspaceFolder: folder.uri.fsPath,
    userHome: os.homedir(),
    environment: process.env,
    folders: Object.fromEntries(
      (workspace.workspaceFolders ?? []).map(({ name, uri: { fsPath } }) => [name, fsPath]),
    ),
    file: Uri.parse(uri).fsPath,
  };
}
