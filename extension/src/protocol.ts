/** The messages that Stepscope adds to the Language Server Protocol; the server's mirror of this. */
import { NotificationType, RequestType } from 'vscode-languageclient/node';
import type { StepscopeReport } from './generated/report';

export interface ReportParams {
  readonly uri: string;
  readonly report: StepscopeReport;
}

/** Sent once after every successful run. */
export const reportNotification = new NotificationType<ReportParams>('stepscope/report');

/** A line (1-based) of a file, how hot it is, and whether it was edited since it was measured. */
export interface HotLine {
  readonly line: number;
  readonly level: 1 | 2 | 3;
  /** Of the step, in words. */
  readonly share: string;
  readonly stale: boolean;
}

export interface HeatParams {
  readonly uri: string;
  /** Of the text that the lines belong to; null for a file that is not open. */
  readonly version: number | null;
  readonly lines: readonly HotLine[];
}

/** Sent for every measured file when a report or its text changes. */
export const heatNotification = new NotificationType<HeatParams>('stepscope/heat');

/** Asked before edited files are run; answered with whether they are on the disk. */
export const saveFilesRequest = new RequestType<{ uris: string[] }, boolean, void>(
  'stepscope/saveFiles',
);

export interface OutputParams {
  readonly uri: string;
  /** Whole lines, without a last line break. */
  readonly text: string;
  /** The first message of a run; its text is empty. */
  readonly begins: boolean;
}

/** What the profiled file prints. */
export const outputNotification = new NotificationType<OutputParams>('stepscope/output');

/** The person wants to see it. */
export const showOutputNotification = new NotificationType<{ uri: string }>('stepscope/showOutput');

export interface EnterArgumentsParams {
  readonly uri: string;
  /** What the file would be given otherwise. */
  readonly args: readonly string[];
}

/** Asks the person for the arguments of a file; answered with null where they would rather not. */
export const enterArgumentsRequest = new RequestType<EnterArgumentsParams, string[] | null, void>(
  'stepscope/enterArguments',
);
