/** One shown report with what is derived from it once, and what a person may do on it. */
import type { ChartPlace, Charts } from '../generated/report';
import type { Host } from './host';
import type { Focus, PageState } from './messages';
import { baseName, type PageReport } from './model/page';

type Listener = () => void;

export class Page {
  private static count = 0;
  readonly id = (Page.count += 1);
  readonly charts: Charts | null;
  readonly title: string;
  /** Named again where several files end alike. */
  private readonly short: ReadonlyMap<string, string>;
  private readonly sources: ReadonlyMap<string, string>;
  private readonly listeners = new Set<Listener>();
  stale: readonly string[];
  /** The line whose row is to be shown. */
  focused: Focus | null = null;
  /** The line whose text is shown, where no editor is there. */
  source: Focus | null = null;

  constructor(
    readonly report: PageReport,
    readonly state: PageState,
    readonly host: Host,
  ) {
    this.charts = report.charts ?? null;
    this.title = baseName(report.run.target);
    this.stale = state.stale ?? [];
    this.short = shortNames(report);
    this.sources = sourcesOf(this.charts);
  }

  /** `model.py:41`, with as much of the folder as tells files apart. */
  where(place: { file: string; line: number }): string {
    return `${this.nameOf(place.file)}:${place.line}`;
  }

  nameOf(file: string): string {
    return this.short.get(file) ?? baseName(file);
  }

  placeOf(index: number): ChartPlace | null {
    return this.charts?.places[index] ?? null;
  }

  /** Into the editor, or, in a page of its own, the text of the line. */
  goTo({ file, line }: Focus): void {
    if (this.host.send) this.host.send({ kind: 'goTo', file, line });
    else this.update(() => (this.source = { file, line }));
  }

  sourceText({ file, line }: Focus): string | null {
    return this.sources.get(`${line}:${file}`) ?? null;
  }

  closeSource(): void {
    this.update(() => (this.source = null));
  }

  focus({ file, line }: Focus): void {
    this.update(() => (this.focused = { file, line }));
  }

  setStale(files: readonly string[]): void {
    this.update(() => (this.stale = files));
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private update(change: () => void): void {
    change();
    for (const listener of this.listeners) listener();
  }
}

function shortNames(report: PageReport): Map<string, string> {
  const files = new Set([
    ...report.lines.map(({ file }) => file),
    ...(report.charts?.places ?? []).map(({ file }) => file),
  ]);
  const byName = new Map<string, string[]>();
  for (const file of files) {
    const name = baseName(file);
    byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  const names = new Map<string, string>();
  for (const [name, same] of byName) {
    for (const file of same) {
      names.set(file, same.length > 1 ? file.split(/[\\/]/).slice(-2).join('/') : name);
    }
  }
  return names;
}

function sourcesOf(charts: Charts | null): Map<string, string> {
  const found = new Map<string, string>();
  for (const { place, text } of charts?.source_lines ?? []) {
    const at = charts?.places[place];
    if (at) found.set(`${at.line}:${at.file}`, text);
  }
  return found;
}
