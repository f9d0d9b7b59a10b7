/** Which files of a report have changed since they were measured. */
import { Uri, workspace } from 'vscode';
import type { PageReport } from '../webview/model/page';

/** More than a step's files ever are; each is one look at the disk. */
const MAX_FILES = 200;
/** The report tells its start in whole seconds. ms. */
const RESOLUTION = 1000;

export async function staleFiles({ run, lines }: PageReport): Promise<string[]> {
  const started = run.started === null ? Number.NaN : Date.parse(run.started);
  if (Number.isNaN(started)) return [];
  const files = [...new Set(lines.map(({ file }) => file))].slice(0, MAX_FILES);
  const edited = new Set(
    workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath),
  );
  const changed = await Promise.all(
    files.map(async (file) => {
      if (edited.has(file)) return true;
      const stat = await workspace.fs.stat(Uri.file(file)).then(undefined, () => undefined);
      // What is not here was measured elsewhere: nothing can be said of it.
      return stat !== undefined && stat.mtime > started + RESOLUTION;
    }),
  );
  return files.filter((_, at) => changed[at]);
}
