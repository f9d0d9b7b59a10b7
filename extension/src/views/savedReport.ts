/** A report.json from a disk: may come from anywhere, so it is bounded and its shape is checked. */
import { FileType, l10n, Uri, workspace } from 'vscode';
import { checkReport } from '../reportShape';
import type { PageReport } from '../webview/model/page';

/** Of a report with the largest timeline that is made, some tens of times. Bytes. */
const MAX_SIZE = 256 * 1024 * 1024;

/** Throws with one sentence for a person. */
export async function readSavedReport(uri: Uri): Promise<PageReport> {
  const name = uri.path.split('/').at(-1) ?? uri.path;
  const stat = await workspace.fs.stat(uri).then(undefined, () => undefined);
  if (!stat || stat.type & FileType.Directory) {
    throw new Error(l10n.t('{0} is not there any more; choose another file.', name));
  }
  if (stat.size > MAX_SIZE) {
    throw new Error(l10n.t('{0} is larger than any report: it was not opened.', name));
  }
  const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    throw new Error(l10n.t('{0} is not JSON; save a report with --json.', name));
  }
  const wrong = checkReport(report);
  if (wrong !== null) throw new Error(`${name}: ${wrong}`);
  return report as PageReport;
}
