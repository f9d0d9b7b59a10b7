/** One tab with a report: what is shown in it and what is done for it. */
import { randomBytes } from 'node:crypto';
import {
  commands,
  Disposable,
  env,
  l10n,
  Uri,
  workspace,
  type WebviewOptions,
  type WebviewPanel,
} from 'vscode';
import { isDeepStrictEqual } from 'node:util';
import { serverCommandIds } from '../contributions';
import type { Focus, FromPage, PageState, Source, ToPage } from '../webview/messages';
import { baseName, filesOf, type PageReport } from '../webview/model/page';
import { english, type Texts } from '../webview/strings';
import { goToLine } from './goToLine';
import { reportHtml } from './reportHtml';
import { staleFiles } from './staleFiles';

/** A report, or one sentence on why there is none. */
export type Loaded = { readonly report: PageReport } | { readonly missing: string };

export interface PanelOptions {
  readonly extensionUri: Uri;
  load(source: Source): Promise<Loaded>;
}

const PAGE = ['dist', 'server', 'stepscope', 'report', 'page'];
/** The name of a rule's page; nothing else is opened. */
const RULE = /^[a-z0-9-]{1,60}$/;
/** Typing changes a document with every key. ms. */
const QUIET = 300;

export function webviewOptions(extensionUri: Uri): WebviewOptions {
  return { enableScripts: true, localResourceRoots: [Uri.joinPath(extensionUri, ...PAGE)] };
}

export class ReportPanel {
  private loaded: Loaded | undefined;
  private files: ReadonlySet<string> = new Set();
  private stale: readonly string[] = [];
  private focus: Focus | null = null;
  private ready = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: Disposable;

  constructor(
    readonly panel: WebviewPanel,
    readonly source: Source,
    private readonly options: PanelOptions,
  ) {
    const { webview } = panel;
    webview.options = webviewOptions(options.extensionUri);
    const file = (name: string) =>
      webview.asWebviewUri(Uri.joinPath(options.extensionUri, ...PAGE, name)).toString();
    this.subscriptions = Disposable.from(
      webview.onDidReceiveMessage((message: FromPage) => this.receive(message)),
      workspace.onDidSaveTextDocument(() => {
        this.lookForChanges();
      }),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (this.files.has(document.uri.fsPath)) this.lookForChanges();
      }),
    );
    panel.onDidDispose(() => {
      clearTimeout(this.timer);
      this.subscriptions.dispose();
    });
    webview.html = reportHtml({
      script: file('report.js'),
      style: file('report.css'),
      source: webview.cspSource,
      nonce: randomBytes(16).toString('base64'),
      language: env.language,
    });
  }

  shows(source: Source): boolean {
    return isDeepStrictEqual(this.source, source);
  }

  /** Ask for the report, again where it is shown already. */
  async refresh(): Promise<void> {
    const loaded = await this.options.load(this.source);
    this.loaded = loaded;
    if ('report' in loaded) {
      this.files = filesOf(loaded.report);
      this.stale = await staleFiles(loaded.report);
      this.panel.title = l10n.t('Report: {0}', baseName(loaded.report.run.target));
    }
    this.send();
  }

  /** Bring the row of a line to the reader. */
  show(focus: Focus): void {
    this.focus = focus;
    if (this.ready && this.loaded) this.post({ kind: 'focus', ...focus });
  }

  private receive(message: FromPage): Promise<void> | undefined {
    switch (message.kind) {
      case 'ready':
        this.ready = true;
        this.send();
        return undefined;
      case 'goTo': {
        const { file, line } = message;
        // A page shows what a file says; only what the report is about is opened for it.
        if (!this.files.has(file) || !Number.isInteger(line) || line < 1) return undefined;
        return goToLine(file, line, this.panel.viewColumn);
      }
      case 'explain':
        if (RULE.test(message.rule)) this.explain(message.rule);
        return undefined;
      case 'profile':
        if (this.source.kind === 'file') {
          void commands.executeCommand(serverCommandIds.profile, { uri: this.source.uri });
        }
        return undefined;
    }
  }

  private explain(rule: string): void {
    const page = Uri.joinPath(this.options.extensionUri, 'docs', 'rules', `${rule}.md`);
    void commands.executeCommand('markdown.showPreview', page);
  }

  private send(): void {
    if (!this.ready || !this.loaded) return;
    const strings = translated();
    const state: PageState = {
      source: this.source,
      stale: this.stale,
      focus: this.focus,
      canProfile: this.canProfile(this.loaded),
    };
    if ('report' in this.loaded) {
      this.post({ kind: 'report', report: this.loaded.report, strings, state });
    } else {
      this.post({ kind: 'missing', message: this.loaded.missing, strings, state });
    }
  }

  /** Recordings of others have no script that could be run again. */
  private canProfile(loaded: Loaded): boolean {
    if (this.source.kind !== 'file' || !workspace.isTrusted) return false;
    return !('report' in loaded) || loaded.report.run.started !== null;
  }

  private lookForChanges(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.tellChanges();
    }, QUIET);
  }

  private async tellChanges(): Promise<void> {
    if (!this.loaded || !('report' in this.loaded)) return;
    const stale = await staleFiles(this.loaded.report);
    if (isDeepStrictEqual(stale, this.stale)) return;
    this.stale = stale;
    this.post({ kind: 'stale', files: stale });
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }
}

/** The page's texts in VS Code's language. */
function translated(): Texts {
  const pairs = Object.entries(english).map(([key, message]) => [key, l10n.t(message)]);
  return Object.fromEntries(pairs) as Texts;
}
