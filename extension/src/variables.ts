/** VS Code's variables in settings and launch configurations: `${workspaceFolder}` and the like. */
import path from 'node:path';

/** What the variables stand for. */
export interface Variables {
  workspaceFolder: string | undefined;
  userHome: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Folders of the workspace by name. */
  folders?: Readonly<Record<string, string>>;
  /** The file that is open; undefined where settings are read that belong to no file. */
  file?: string;
}

const VARIABLE = /\$\{([^{}]+)\}/g;

/** Replace what is known; leave the rest as it is (see `unknownVariables`). */
export function expandVariables(text: string, variables: Variables): string {
  return text.replaceAll(VARIABLE, (whole, name: string) => valueOf(name, variables) ?? whole);
}

/** The variables that are still in `text`, for example `${input:size}`. */
export function unknownVariables(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([whole]) => whole);
}

function valueOf(name: string, variables: Variables): string | undefined {
  // As in VS Code's own settings: a variable that is not set is empty.
  if (name.startsWith('env:')) return variables.environment[name.slice(4)] ?? '';
  if (name.startsWith('workspaceFolder:')) {
    return variables.folders?.[name.slice('workspaceFolder:'.length)];
  }
  const { workspaceFolder } = variables;
  switch (name) {
    case 'userHome':
      return variables.userHome;
    case 'workspaceFolder':
    case 'workspaceRoot':
      return workspaceFolder;
    case 'workspaceFolderBasename':
      return workspaceFolder && path.basename(workspaceFolder);
    case 'pathSeparator':
    case '/':
      return path.sep;
    default:
      return variables.file === undefined
        ? undefined
        : ofFile(name, variables.file, workspaceFolder);
  }
}

function ofFile(name: string, file: string, folder: string | undefined): string | undefined {
  const relative = folder === undefined ? file : path.relative(folder, file);
  switch (name) {
    case 'file':
      return file;
    case 'fileDirname':
      return path.dirname(file);
    case 'fileBasename':
      return path.basename(file);
    case 'fileBasenameNoExtension':
      return path.basename(file, path.extname(file));
    case 'fileExtname':
      return path.extname(file);
    case 'fileWorkspaceFolder':
      return folder;
    case 'relativeFile':
      return relative;
    case 'relativeFileDirname':
      return path.dirname(relative);
    default:
      return undefined;
  }
}
