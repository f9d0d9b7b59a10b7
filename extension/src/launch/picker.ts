/** "Profile with...": how the open file is run from now on, chosen from a list. */
import { QuickPickItemKind, l10n, window, type QuickPickItem } from 'vscode';
import { fields, type Field } from './fields';
import { describeChoice, type Choice, type Launch } from './launch';
import type { Found, Launches } from './launches';

type Picked =
  | { readonly kind: 'again' }
  | { readonly kind: 'settings' }
  | { readonly kind: 'configuration'; readonly found: Found }
  | { readonly kind: 'field'; readonly field: Field };

type Item = QuickPickItem & { readonly answer?: Picked };

/** Ask and remember. Returns whether to run the file now. */
export async function chooseLaunch(launches: Launches, uri: string, name: string) {
  const before = launches.chosen(uri);
  const item = await window.showQuickPick(itemsFor(launches, uri, before), {
    title: l10n.t('Profile {0} with...', name),
    placeHolder: l10n.t('Remembered for this file until you choose the settings again'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!item?.answer) return false;
  const after = await choiceFor(item.answer, before, launches, uri);
  if (after === 'stop') return false;
  if (after !== 'keep') await launches.choose(uri, after);
  return true;
}

function itemsFor(launches: Launches, uri: string, before: Choice | undefined): Item[] {
  const section = (label: string): Item => ({ label, kind: QuickPickItemKind.Separator });
  const again: Item[] = before
    ? [
        section(l10n.t('Last used for this file')),
        {
          label: `$(history) ${describeChoice(before) || l10n.t('Settings')}`,
          answer: { kind: 'again' },
        },
      ]
    : [];
  const found = launches.configurations();
  const configurations = found.map((entry): Item => {
    const { launch, obstacles, ignored } = launches.resolve(entry, uri);
    return {
      label: `$(debug-alt) ${entry.name}`,
      description: launch.program ?? '',
      detail: [...obstacles.map((text) => `$(error) ${text}`), ...ignored].join(' '),
      answer: { kind: 'configuration', found: entry },
    };
  });
  return [
    ...again,
    section(l10n.t('Settings')),
    {
      label: `$(settings-gear) ${l10n.t('The settings of Stepscope')}`,
      detail: before ? l10n.t('Forgets what was chosen for this file') : '',
      answer: { kind: 'settings' },
    },
    ...(configurations.length > 0 ? [section('launch.json'), ...configurations] : []),
    section(l10n.t('Change for this file')),
    ...fields().map((field): Item => ({
      label: `$(edit) ${field.title}`,
      description: field.shown(before?.changes ?? {}),
      answer: { kind: 'field', field },
    })),
  ];
}

async function choiceFor(
  picked: Picked,
  before: Choice | undefined,
  launches: Launches,
  uri: string,
): Promise<Choice | undefined | 'keep' | 'stop'> {
  switch (picked.kind) {
    case 'again':
      return 'keep';
    case 'settings':
      return undefined;
    case 'configuration': {
      const { found } = picked;
      const { obstacles } = launches.resolve(found, uri);
      if (obstacles.length > 0) {
        void window.showErrorMessage(
          l10n.t('"{0}" cannot be profiled: {1}', found.name, obstacles.join(' ')),
        );
        return 'stop';
      }
      return {
        configuration: { name: found.name, folder: found.folder.uri.toString() },
        changes: {},
      };
    }
    case 'field': {
      const { field } = picked;
      const text = await window.showInputBox({
        title: field.title,
        prompt: field.prompt,
        value: field.shown(before?.changes ?? {}),
        ignoreFocusOut: true,
        validateInput: (entered) => field.problem(entered),
      });
      if (text === undefined) return 'stop';
      const changes = given({ ...before?.changes, ...field.read(text) });
      if (!before?.configuration && Object.keys(changes).length === 0) return undefined;
      return { ...before, changes };
    }
  }
}

/** Without what is left to the settings. */
function given(changes: Launch): Launch {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
