/** Operators over all lines: what the report keeps per line, added up by name. */
import type { LineRef, Op, StepscopeReport } from '../../generated/report';

export interface Operator {
  readonly name: string;
  /** Per step. */
  calls: number;
  work_ms: number;
  backward_ms: number;
  /** Shapes and types of where it took longest. */
  shapes: string | null;
  dtypes: string | null;
  /** The line on which it took longest; null: none is known. */
  at: LineRef | null;
  /** On how many lines it ran. */
  lines: number;
}

export function operatorsOf(report: StepscopeReport): Operator[] {
  const found = new Map<string, Operator & { longest: number }>();
  const add = (op: Op, at: LineRef | null) => {
    let entry = found.get(op.name);
    if (!entry) {
      const { name, shapes, dtypes } = op;
      entry = {
        name,
        calls: 0,
        work_ms: 0,
        backward_ms: 0,
        shapes,
        dtypes,
        at,
        lines: 0,
        longest: -1,
      };
      found.set(name, entry);
    }
    entry.calls += op.calls;
    entry.work_ms += op.work_ms;
    if (op.backward) entry.backward_ms += op.work_ms;
    if (op.work_ms > entry.longest) {
      Object.assign(entry, { longest: op.work_ms, at, shapes: op.shapes, dtypes: op.dtypes });
    }
  };
  for (const line of report.lines) {
    for (const op of line.ops) add(op, line);
    for (const name of new Set(line.ops.map((op) => op.name))) {
      const entry = found.get(name);
      if (entry) entry.lines += 1;
    }
  }
  for (const op of report.unattributed.ops) add(op, null);
  return [...found.values()];
}
