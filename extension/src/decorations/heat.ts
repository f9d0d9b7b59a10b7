/** Draws the heat of lines in every visible editor: bars in the gutter, marks in the scroll bar. */
import {
  ColorThemeKind,
  Disposable,
  OverviewRulerLane,
  Range,
  ThemeColor,
  Uri,
  window,
  workspace,
  type TextEditor,
  type TextEditorDecorationType,
} from 'vscode';
import type { HeatParams } from '../protocol';
import {
  colorId,
  colorOf,
  type ColorDefaults,
  type Customizations,
  type ThemeKind,
} from './colors';
import { dataUri, markSvg } from './icon';
import { HeatMap, MARKS, planMarks, type Mark } from './plan';

const KINDS: Record<ColorThemeKind, ThemeKind> = {
  [ColorThemeKind.Dark]: 'dark',
  [ColorThemeKind.Light]: 'light',
  [ColorThemeKind.HighContrast]: 'highContrast',
  [ColorThemeKind.HighContrastLight]: 'highContrastLight',
};

export class HeatDecorations implements Disposable {
  private readonly heat = new HeatMap();
  private readonly listeners: Disposable;
  private types: TextEditorDecorationType[] = [];

  constructor(private readonly defaults: ColorDefaults) {
    this.listeners = Disposable.from(
      window.onDidChangeVisibleTextEditors(() => {
        this.drawAll();
      }),
      window.onDidChangeActiveColorTheme(() => {
        this.redraw();
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('workbench.colorCustomizations')) this.redraw();
      }),
    );
  }

  /** Undefined: nothing is known any more. */
  show(heat: HeatParams | undefined): void {
    if (heat) this.heat.set(Uri.parse(heat.uri).toString(), heat);
    else this.heat.clear();
    this.drawAll();
  }

  dispose(): void {
    this.listeners.dispose();
    this.forgetTypes();
  }

  private drawAll(): void {
    for (const editor of window.visibleTextEditors) this.draw(editor);
  }

  private draw(editor: TextEditor): void {
    const { document } = editor;
    const lines = this.heat.linesFor({
      uri: document.uri.toString(),
      version: document.version,
    });
    if (!lines || (lines.length === 0 && this.types.length === 0)) return;
    // Made when there is something to draw, not when the editor starts.
    if (this.types.length === 0) this.types = MARKS.map((mark) => this.makeType(mark));
    const marks = planMarks(lines, document.lineCount);
    this.types.forEach((type, index) => {
      editor.setDecorations(
        type,
        (marks[index] ?? []).map((line) => new Range(line, 0, line, 0)),
      );
    });
  }

  /** With other colours. */
  private redraw(): void {
    this.forgetTypes();
    this.drawAll();
  }

  private forgetTypes(): void {
    for (const type of this.types) type.dispose();
    this.types = [];
  }

  private makeType(mark: Mark): TextEditorDecorationType {
    const icon = Uri.parse(dataUri(markSvg(mark, this.colorNow(mark.level))));
    return window.createTextEditorDecorationType({
      gutterIconPath: icon,
      gutterIconSize: 'contain',
      ...(mark.level > 1 && !mark.stale ? this.inScrollBar(mark.level) : {}),
    });
  }

  /** The hottest lines have another lane than the warm ones: colour is not what tells them apart. */
  private inScrollBar(level: Mark['level']) {
    return {
      overviewRulerColor: new ThemeColor(colorId(level)),
      overviewRulerLane: level === 3 ? OverviewRulerLane.Center : OverviewRulerLane.Left,
    };
  }

  private colorNow(level: Mark['level']): string {
    const workbench = workspace.getConfiguration('workbench');
    return colorOf(
      level,
      KINDS[window.activeColorTheme.kind],
      workbench.get('colorTheme', ''),
      workbench.get<Customizations>('colorCustomizations') ?? {},
      this.defaults,
    );
  }
}
