/** "Open saved report...": a report.json, wherever it was made. Needs no server and runs nothing. */
import { l10n, Uri, window } from 'vscode';
import { readSavedReport } from '../views/savedReport';
import type { Command } from './command';

export const openSavedReport: Command = async ({ reports }, given) => {
  const chosen = given instanceof Uri ? given : await ask();
  if (!chosen) return;
  // A file that is no report gets a message, not a tab.
  await readSavedReport(chosen);
  await reports.show({ kind: 'saved', uri: chosen.toString() });
};

async function ask(): Promise<Uri | undefined> {
  const chosen = await window.showOpenDialog({
    title: l10n.t('Open saved report'),
    filters: { [l10n.t('Reports')]: ['json'], [l10n.t('All files')]: ['*'] },
  });
  return chosen?.[0];
}
