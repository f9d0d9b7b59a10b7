/**
 * Whether a parsed file is a report: it is compared with the published schema, since it may come
 * from anywhere. Keys that the schema does not know are let through: a newer version may add some.
 */
import schema from '../../pyserver/stepscope/report/report.schema.json';

interface Node {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Node;
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const definitions = schema.$defs as Readonly<Record<string, Node>>;

/** null where it is one; else what is wrong, as one sentence. */
export function checkReport(value: unknown): string | null {
  const named = isRecord(value) ? value['schema'] : undefined;
  if (typeof named !== 'string' || !named.startsWith('stepscope/report/')) {
    return 'This file is not a Stepscope report: it has no "schema" that says so.';
  }
  if (named !== schema.properties.schema.const) {
    return `This report has the format ${named.slice(0, 60)}, which this version of Stepscope does not read.`;
  }
  const wrong = mismatch(value, schema);
  return wrong && `This report is damaged: ${['report', ...wrong.path].join('.')} ${wrong.what}.`;
}

/** The path is put together only where something is wrong: there may be a million values. */
interface Mismatch {
  readonly path: string[];
  readonly what: string;
}

const wrongHere = (what: string): Mismatch => ({ path: [], what });

function inside(key: string | number, found: Mismatch | null): Mismatch | null {
  found?.path.unshift(String(key));
  return found;
}

function mismatch(value: unknown, node: Node): Mismatch | null {
  if (node.$ref !== undefined) {
    const name = node.$ref.split('/').at(-1) ?? '';
    return mismatch(value, definitions[name] ?? {});
  }
  const options = node.anyOf ?? node.oneOf;
  if (options) {
    const tried = options.map((option) => mismatch(value, option));
    if (tried.includes(null)) return null;
    // What came furthest tells most: the others are the likes of "is not null".
    const known = tried.filter((found) => found !== null);
    return known.reduce((best, found) => (found.path.length > best.path.length ? found : best));
  }
  if ('const' in node && value !== node.const) {
    return wrongHere(`is not ${JSON.stringify(node.const)}`);
  }
  if (node.enum && !node.enum.includes(value)) return wrongHere('has an unknown value');
  const types = node.type === undefined ? [] : [node.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value))) {
    return wrongHere(`is not of type ${types.join(' or ')}`);
  }
  if (Array.isArray(value)) return arrayMismatch(value, node);
  return isRecord(value) ? objectMismatch(value, node) : null;
}

function arrayMismatch(values: readonly unknown[], node: Node): Mismatch | null {
  if (values.length < (node.minItems ?? 0) || values.length > (node.maxItems ?? Infinity)) {
    return wrongHere(`has ${values.length} entries`);
  }
  if (!node.items) return null;
  for (let at = 0; at < values.length; at += 1) {
    const wrong = mismatch(values[at], node.items);
    if (wrong !== null) return inside(at, wrong);
  }
  return null;
}

function objectMismatch(value: Record<string, unknown>, node: Node): Mismatch | null {
  const missing = node.required?.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return wrongHere(`lacks "${missing}"`);
  const other = typeof node.additionalProperties === 'object' ? node.additionalProperties : null;
  for (const [key, item] of Object.entries(value)) {
    const known = ownOf(node.properties, key) ?? other;
    const wrong = known ? mismatch(item, known) : null;
    if (wrong !== null) return inside(key, wrong);
  }
  return null;
}

/** Keys come from the file: `constructor` is not one of ours. */
function ownOf(properties: Node['properties'], key: string): Node | undefined {
  return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
