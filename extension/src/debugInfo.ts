/** What helps to find a fault, as Markdown to paste: no values that may be secrets. */

export interface DebugFacts {
  readonly versions: Readonly<Record<string, string>>;
  readonly server: string;
  readonly lastRun: string;
  /** What the person has set, by key. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The last warnings and errors, the oldest first. */
  readonly errors: readonly string[];
  readonly home: string;
}

/** Settings whose values are a person's own: only how many there are is told. */
const PRIVATE = new Set(['args', 'env', 'modelInputs', 'cwd', 'trace.sourceMap']);
const LONGEST = 1000;

export function debugInfo(facts: DebugFacts): string {
  const settings = Object.entries(facts.settings).map(
    ([key, value]) => `- \`stepscope.${key}\`: ${settingText(key, value)}`,
  );
  const errors = facts.errors.map((line) => line.slice(0, LONGEST));
  const text = [
    '## Stepscope',
    '',
    ...Object.entries(facts.versions).map(([name, version]) => `- ${name}: ${version}`),
    `- server: ${facts.server}`,
    `- last run: ${facts.lastRun}`,
    '',
    '### Settings',
    '',
    ...(settings.length > 0 ? settings : ['all as they come']),
    '',
    '### Last errors',
    '',
    ...(errors.length > 0 ? [fenced(errors.join('\n'))] : ['none']),
    '',
  ].join('\n');
  return withoutHome(text, facts.home);
}

function settingText(key: string, value: unknown): string {
  if (!PRIVATE.has(key)) return `\`${JSON.stringify(value)}\``;
  const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
  return `set (${count}, not shown)`;
}

/** A fence that the text cannot close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** The home folder names a person, whichever way its separators are written. */
export function withoutHome(text: string, home: string): string {
  if (home.length < 2) return text;
  const spellings = new Set([
    home,
    home.replaceAll('\\', '/'),
    home.replaceAll('\\', '\\\\'),
    encodeURI(home.replaceAll('\\', '/')),
  ]);
  let result = text;
  for (const spelling of spellings) result = result.replaceAll(spelling, '~');
  return result;
}
