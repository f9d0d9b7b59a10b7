/** What has to be on the disk before Python reads it. */
import { window, workspace, type TextDocument } from 'vscode';
import { pythonLanguage } from './contributions';

/**
 * Save every changed Python file: the profiled one imports others, and a cost must not be shown
 * on a line of text that did not run. Returns false when one could not be saved.
 */
export async function savePythonFiles(): Promise<boolean> {
  const changed = workspace.textDocuments.filter(
    (document) => document.languageId === pythonLanguage && document.isDirty && isOnDisk(document),
  );
  const saved = await Promise.all(changed.map((document) => document.save()));
  if (saved.every(Boolean)) return true;
  void window.showErrorMessage('Stepscope did not run the file: it could not be saved.');
  return false;
}

export function isOnDisk(document: TextDocument): boolean {
  return document.uri.scheme === 'file';
}
