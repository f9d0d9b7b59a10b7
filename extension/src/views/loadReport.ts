/** Where reports come from: the server that measured or kept them, or a file. */
import { commands, l10n, Uri } from 'vscode';
import { serverCommandIds } from '../contributions';
import { describeError } from '../log';
import { checkReport } from '../reportShape';
import type { Source } from '../webview/messages';
import type { PageReport } from '../webview/model/page';
import type { Loaded } from './reportPanel';
import { readSavedReport } from './savedReport';

export interface ReportServer {
  /** Start it where it does not run, saying nothing where it cannot. */
  refresh(): Promise<void>;
  isRunning(): boolean;
}

export async function loadReport(
  server: ReportServer,
  source: Source,
  log: (message: string) => void,
): Promise<Loaded> {
  if (source.kind === 'saved') {
    return readSavedReport(Uri.parse(source.uri)).then(
      (report) => ({ report }),
      (error: unknown) => ({ missing: error instanceof Error ? error.message : String(error) }),
    );
  }
  if (!server.isRunning()) await server.refresh();
  if (!server.isRunning()) {
    return { missing: l10n.t('The Stepscope server does not run, so it has no report to show.') };
  }
  const asked = source.kind === 'file' ? { uri: source.uri } : { run: source.run };
  try {
    const report: unknown = await commands.executeCommand(serverCommandIds.getReport, asked);
    if (report === null || report === undefined) return { missing: nothingKept(source) };
    const wrong = checkReport(report);
    return wrong === null ? { report: report as PageReport } : { missing: wrong };
  } catch (error) {
    log(`${serverCommandIds.getReport}: ${describeError(error)}`);
    return { missing: nothingKept(source) };
  }
}

function nothingKept(source: Source): string {
  if (source.kind !== 'file') return l10n.t('This run is not kept any more.');
  const name = Uri.parse(source.uri).path.split('/').at(-1) ?? source.uri;
  return l10n.t('The measurement of {0} is not kept any more: measure it again.', name);
}
