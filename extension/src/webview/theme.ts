/** Which colours the page wears: VS Code's, or the system's where it is a page of its own. */

export type Theme = 'light' | 'dark' | 'contrast-light' | 'contrast-dark';

const listeners = new Set<() => void>();

function themeNow(): Theme {
  const inEditor = document.body.dataset['vscodeThemeKind'];
  if (inEditor === 'vscode-high-contrast') return 'contrast-dark';
  if (inEditor === 'vscode-high-contrast-light') return 'contrast-light';
  const dark = inEditor ? inEditor === 'vscode-dark' : asked('(prefers-color-scheme: dark)');
  if (asked('(forced-colors: active)')) return dark ? 'contrast-dark' : 'contrast-light';
  return dark ? 'dark' : 'light';
}

const asked = (query: string) => window.matchMedia(query).matches;

/** Keep `data-theme` of the document right, and tell canvases, which style sheets do not reach. */
export function followTheme(): void {
  const update = () => {
    document.documentElement.dataset['theme'] = themeNow();
    for (const listener of listeners) listener();
  };
  update();
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    window.matchMedia(query).addEventListener('change', update);
  }
  const observer = new MutationObserver(update);
  // The class changes with the kind of theme, the root's style with each of its colours.
  observer.observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-kind'] });
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
}

/** Call `listener` whenever colours may have changed; returns what ends that. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Colours for a canvas, as the style sheet has them now. */
export interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly background: string;
  readonly band: string;
  readonly line: string;
  readonly accent: string;
  readonly spanText: string;
  readonly quiet: string;
  readonly quietText: string;
  readonly hues: readonly string[];
  readonly font: string;
}

/** As many as theme.css has. */
const HUES = 8;

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => resolved(style.getPropertyValue(`--${name}`).trim());
  return {
    text: color('text'),
    muted: color('muted'),
    background: color('background'),
    band: color('band'),
    line: color('grid'),
    accent: color('accent'),
    spanText: color('span-text'),
    quiet: color('quiet'),
    quietText: color('quiet-text'),
    hues: Array.from({ length: HUES }, (_, at) => color(`hue-${at}`)),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  };
}

/** A canvas ignores system colours by name in some browsers: let the style engine say what they are. */
function resolved(color: string): string {
  if (!/^([A-Z][A-Za-z]+|color-mix.*)$/.test(color)) return color;
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
