/**
 * Numbers into text: the only place of the page that rounds, and the mirror of the server's
 * `format.py`. Both are tested against tests/fixtures/format_cases.json.
 */

const DURATIONS: Units = [
  [1e-3, 'µs'],
  [1, 'ms'],
  [1e3, 's'],
];
const SIZES: Units = [
  [1, 'B'],
  [1e3, 'kB'],
  [1e6, 'MB'],
  [1e9, 'GB'],
  [1e12, 'TB'],
];
const AMOUNTS: Units = [
  [1, ''],
  [1e3, 'k'],
  [1e6, 'M'],
  [1e9, 'G'],
  [1e12, 'T'],
  [1e15, 'P'],
];

type Units = readonly (readonly [number, string])[];

/** `12.3 ms` from milliseconds. */
export function duration(ms: number): string {
  if (ms === 0) return '0 ms';
  return Math.abs(ms) < 1e-3 ? '<1 µs' : scaled(ms, DURATIONS);
}

/** `96 MB` from bytes, in powers of 1000. */
export function size(bytes: number): string {
  if (Math.abs(bytes) < 999.5) return `${halfUp(bytes)} B`;
  const [number = '', label = ''] = scaled(bytes, SIZES).split(' ');
  return `${trimmed(number)} ${label}`;
}

/** `41 %` from 0.41. */
export function share(fraction: number): string {
  if (fraction > 0 && fraction < 0.01) return '<1 %';
  if (fraction > 0.99 && fraction < 1) return '>99 %';
  return `${halfUp(fraction * 100)} %`;
}

/** `12.3 GFLOP` from 12.3e9 and `FLOP`. */
export function amount(value: number, unit: string): string {
  if (Math.abs(value) < 999.5) return `${trimmed(significant(value))} ${unit}`;
  return scaled(value, AMOUNTS) + unit;
}

/** Events per step: `2`, `0.5`, `1,234`. */
export function count(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 99.95) return grouped(halfUp(value));
  if (Math.abs(value) < 0.01) return '<0.01';
  return trimmed(fixed(value, Math.abs(value) >= 9.995 ? 1 : 2));
}

/** `1.42×`. */
export function ratio(value: number): string {
  return `${significant(value)}×`;
}

function scaled(value: number, units: Units): string {
  let [factor, label] = units[0] ?? [1, ''];
  for (const [nextFactor, nextLabel] of units.slice(1)) {
    // 999.5 would round to 1000 of the smaller unit.
    if (Math.abs(value) < 0.9995 * nextFactor) break;
    [factor, label] = [nextFactor, nextLabel];
  }
  return `${significant(value / factor)} ${label}`;
}

/** Three significant digits without an exponent; all digits from 1000 on. */
function significant(value: number): string {
  if (Math.abs(value) >= 99.95) return String(halfUp(value));
  return fixed(value, Math.abs(value) >= 9.995 ? 1 : 2);
}

/** Python's rounding: what lies exactly in the middle goes to the even digit, not up. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  // Only multiples of 1/8 can lie exactly in the middle of two or fewer digits.
  const scaledUp = Math.abs(value) * 10 ** digits;
  const isTie = Number.isInteger(value * 8) && scaledUp - Math.floor(scaledUp) === 0.5;
  if (!isTie) return text;
  const even = 2 * Math.round(scaledUp / 2);
  return ((Math.sign(value) * even) / 10 ** digits).toFixed(digits);
}

const trimmed = (number: string) =>
  number.includes('.') ? number.replace(/0+$/, '').replace(/\.$/, '') : number;

const halfUp = (value: number) => Math.sign(value) * Math.floor(Math.abs(value) + 0.5) || 0;

const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
