/** The colours of marks. Pictures in the gutter cannot name a theme's colour, so it is looked up. */
import { heatColors } from '../contributions';
import type { HotLine } from '../protocol';

export type ThemeKind = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

/** `contributes.colors` of the manifest, by id. */
export type ColorDefaults = Readonly<Record<string, Readonly<Record<ThemeKind, string>>>>;

/** `workbench.colorCustomizations`: colours, and objects of them for named themes. */
export type Customizations = Readonly<Record<string, unknown>>;

export const colorId = (level: HotLine['level']) => heatColors[level - 1] ?? heatColors[0];

/** The defaults out of a `package.json`. */
export function colorDefaults(manifest: unknown): ColorDefaults {
  const { contributes } = manifest as {
    contributes?: { colors?: { id: string; defaults: Record<ThemeKind, string> }[] };
  };
  return Object.fromEntries((contributes?.colors ?? []).map(({ id, defaults }) => [id, defaults]));
}

/** What a level looks like: as the person's settings say for this theme, else in general, else ours. */
export function colorOf(
  level: HotLine['level'],
  kind: ThemeKind,
  theme: string,
  customized: Customizations,
  defaults: ColorDefaults,
): string {
  const id = colorId(level);
  const forTheme = customized[`[${theme}]`];
  const candidates = [
    typeof forTheme === 'object' && forTheme !== null
      ? (forTheme as Customizations)[id]
      : undefined,
    customized[id],
  ];
  // A colour goes into an SVG: nothing else than a colour may.
  const chosen = candidates.find(
    (text) => typeof text === 'string' && /^#[\da-f]{3,8}$/i.test(text),
  );
  return (chosen as string | undefined) ?? defaults[id]?.[kind] ?? '#E69F00';
}
