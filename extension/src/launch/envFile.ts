/** Files of environment variables, as python-dotenv and the Python debugger read them. */

const LINE = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/;

/** `NAME=value` lines; quotes are taken off, `#` begins a comment. Other lines are no variables. */
export function parseEnvFile(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, name, value = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    found[name] = unquoted(value);
  }
  return found;
}

function unquoted(value: string): string {
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (double !== undefined) {
    return double.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return value.replace(/(^|\s+)#.*$/, '');
}
