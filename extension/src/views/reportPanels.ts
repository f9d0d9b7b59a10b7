/** The tabs with reports: one per report, restored with the window. */
import {
  l10n,
  ViewColumn,
  window,
  type Disposable,
  type WebviewPanel,
  type WebviewPanelSerializer,
} from 'vscode';
import { reportViewType } from '../contributions';
import type { Focus, Source } from '../webview/messages';
import { ReportPanel, webviewOptions, type PanelOptions } from './reportPanel';

export class ReportPanels implements WebviewPanelSerializer, Disposable {
  private readonly open = new Set<ReportPanel>();
  private readonly serializer: Disposable;

  constructor(private readonly options: PanelOptions) {
    this.serializer = window.registerWebviewPanelSerializer(reportViewType, this);
  }

  dispose(): void {
    this.serializer.dispose();
  }

  /** Show a report, in its tab where it has one, and the row of a line in it. */
  async show(source: Source, focus?: Focus): Promise<void> {
    const known = [...this.open].find((panel) => panel.shows(source));
    if (known) {
      known.panel.reveal();
      if (focus) known.show(focus);
      return;
    }
    const panel = window.createWebviewPanel(
      reportViewType,
      l10n.t('Report'),
      // Beside a source the report and the line that it speaks of are both on the screen.
      window.activeTextEditor ? ViewColumn.Beside : ViewColumn.Active,
      {
        ...webviewOptions(this.options.extensionUri),
        // A timeline that was zoomed and searched is not thrown away with a glance at another tab.
        retainContextWhenHidden: true,
        enableFindWidget: true,
      },
    );
    await this.add(panel, source, focus);
  }

  /** After a window was reloaded. `state` is what the page kept, so it is not trusted. */
  async deserializeWebviewPanel(panel: WebviewPanel, state: unknown): Promise<void> {
    const source = sourceIn(state);
    if (source) await this.add(panel, source);
    else panel.dispose();
  }

  /** A file was measured: what is shown of it is out of date. */
  measured(uri: string): void {
    for (const panel of this.open) {
      if (panel.shows({ kind: 'file', uri })) void panel.refresh();
    }
  }

  private async add(panel: WebviewPanel, source: Source, focus?: Focus): Promise<void> {
    const report = new ReportPanel(panel, source, this.options);
    this.open.add(report);
    panel.onDidDispose(() => this.open.delete(report));
    if (focus) report.show(focus);
    await report.refresh();
  }
}

function sourceIn(state: unknown): Source | undefined {
  const source = (state as { source?: Partial<Record<string, unknown>> } | null)?.source;
  const { kind, uri, run } = source ?? {};
  if ((kind === 'file' || kind === 'saved') && typeof uri === 'string') return { kind, uri };
  if (kind === 'run' && (typeof run === 'string' || typeof run === 'number')) return { kind, run };
  return undefined;
}
