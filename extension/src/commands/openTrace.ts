/** "Open PyTorch trace...": show what somebody's recording costs, on the source that is here. */
import { commands, Uri, window } from 'vscode';
import { serverCommandIds, traceFilter } from '../contributions';
import type { Command } from './command';

/** Files: those of the explorer's selection, or chosen in a dialog. */
export const openTrace: Command = ({ server }, ...given) =>
  open(server, given, () =>
    window.showOpenDialog({
      title: 'Open PyTorch trace',
      canSelectMany: true,
      filters: { 'PyTorch traces': [...traceFilter], 'All files': ['*'] },
    }),
  );

/** A folder with a trace of each rank. Most systems have no dialog for files and folders alike. */
export const openTraceFolder: Command = ({ server }, ...given) =>
  open(server, given, () =>
    window.showOpenDialog({
      title: 'Open folder of rank traces',
      canSelectFiles: false,
      canSelectFolders: true,
    }),
  );

async function open(
  server: Parameters<Command>[0]['server'],
  given: readonly unknown[],
  ask: () => Thenable<Uri[] | undefined>,
): Promise<void> {
  const chosen = selected(given) ?? (await ask());
  if (!chosen?.length || !(await server.ensureRunning())) return;
  const paths = chosen.map((uri) => uri.toString());
  await commands.executeCommand(serverCommandIds.open, { paths });
}

/** What a menu of the explorer passes: the entry clicked, and all that are selected. */
function selected([clicked, all]: readonly unknown[]): Uri[] | undefined {
  const uris = Array.isArray(all) ? all.filter((entry) => entry instanceof Uri) : [];
  if (uris.length > 0) return uris;
  return clicked instanceof Uri ? [clicked] : undefined;
}
