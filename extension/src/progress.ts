/**
 * Shows the server's cancellable progress as a notification with a Cancel button. The language
 * client itself would put it into the status bar, where Cancel is two clicks away.
 */
import { ProgressLocation, window, type Progress } from 'vscode';
import {
  WorkDoneProgressCancelNotification,
  type LanguageClient,
  type Middleware,
  type ProgressToken,
  type WorkDoneProgressBegin,
  type WorkDoneProgressReport,
} from 'vscode-languageclient/node';

type Step = WorkDoneProgressBegin | WorkDoneProgressReport;

/** One notification, from the progress's begin to its end. */
class Shown {
  private progress: Progress<{ message?: string; increment?: number }> | undefined;
  private percentage = 0;
  private resolve: () => void = () => undefined;
  private readonly ended = new Promise<void>((resolve) => {
    this.resolve = resolve;
  });

  readonly title: string;

  constructor(begin: WorkDoneProgressBegin, onCancel: () => void) {
    this.title = begin.title;
    const location = ProgressLocation.Notification;
    const options = { location, title: begin.title, cancellable: true };
    void window.withProgress(options, (progress, cancellation) => {
      this.progress = progress;
      cancellation.onCancellationRequested(onCancel);
      this.report(begin);
      return this.ended;
    });
  }

  report({ message, percentage = this.percentage }: Step): void {
    const increment = Math.max(0, percentage - this.percentage);
    this.percentage += increment;
    this.progress?.report({ increment, ...(message !== undefined && { message }) });
  }

  end(): void {
    this.resolve();
  }
}

/** Hears of what is shown. */
export interface ProgressWatcher {
  runs(title: string, phase: string): void;
  ended(): void;
}

/** The notifications of one client. */
export class ProgressNotifications {
  private readonly shown = new Map<ProgressToken, Shown>();

  /** `client` is asked for when somebody cancels: its middleware is made before it. */
  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly watcher: ProgressWatcher,
  ) {}

  readonly middleware: NonNullable<Middleware['handleWorkDoneProgress']> = (
    token,
    params,
    next,
  ) => {
    if (params.kind === 'begin' && params.cancellable) {
      const cancel = () => {
        void this.client()?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
      };
      this.shown.set(token, new Shown(params, cancel));
      this.watcher.runs(params.title, params.message ?? '');
      return;
    }
    const shown = this.shown.get(token);
    if (params.kind === 'report' && shown) {
      shown.report(params);
      if (params.message !== undefined) this.watcher.runs(shown.title, params.message);
      return;
    }
    if (params.kind === 'end' && shown) {
      shown.end();
      this.shown.delete(token);
      this.watcher.ended();
    }
    // Also the end of one that is ours: the client keeps a listener per token until it saw that.
    next(token, params);
  };

  /** A server that stopped sends no end. Returns the titles of what was in progress. */
  endAll(): string[] {
    const titles = [...this.shown.values()].map(({ title }) => title);
    for (const shown of this.shown.values()) shown.end();
    this.shown.clear();
    return titles;
  }
}
