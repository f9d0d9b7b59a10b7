/** "Open sample": a copy of the packed program, in a folder of the person's choosing. */
import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Uri, l10n, window, workspace, type QuickPickItem } from 'vscode';
import { freeName } from '../freeName';
import type { Command } from './command';

const SAMPLE = 'samples/image_classifier.py';
const TRIES = 100;

export const openSample: Command = async ({ extension }) => {
  const folder = await chooseFolder(extension.globalStorageUri);
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const copy = await freeName(path.join(folder, path.basename(SAMPLE)), TRIES, (file) =>
    // Never over a file that is there.
    copyFile(extension.asAbsolutePath(SAMPLE), file, constants.COPYFILE_EXCL),
  );
  await window.showTextDocument(Uri.file(copy));
};

async function chooseFolder(storage: Uri): Promise<string | undefined> {
  type Item = QuickPickItem & { folder?: string };
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const items: Item[] = [
    ...folders.map(({ name, uri }) => ({
      label: l10n.t('In the folder {0}', name),
      description: uri.fsPath,
      folder: uri.fsPath,
    })),
    {
      label: l10n.t('In the storage of Stepscope'),
      description: l10n.t('Outside your folders'),
      folder: path.join(storage.fsPath, 'samples'),
    },
    { label: l10n.t('In another folder...') },
  ];
  const title = l10n.t('Where to put a copy of the sample');
  const item = await window.showQuickPick(items, { title });
  if (!item) return undefined;
  if (item.folder !== undefined) return item.folder;
  const chosen = await window.showOpenDialog({
    title,
    canSelectFiles: false,
    canSelectFolders: true,
  });
  return chosen?.[0]?.fsPath;
}
