/** The messages that Stepscope adds to the Language Server Protocol; the server's mirror of this. */
import { NotificationType, RequestType } from 'vscode-languageclient/node';
import type { StepscopeReport } from './generated/report';

export interface ReportParams {
  readonly uri: string;
  readonly report: StepscopeReport;
}

/** Sent once after every successful run. */
export const reportNotification = new NotificationType<ReportParams>('stepscope/report');

export interface EnterArgumentsParams {
  readonly uri: string;
  /** What the file would be given otherwise. */
  readonly args: readonly string[];
}

/** Asks the person for the arguments of a file; answered with null where they would rather not. */
export const enterArgumentsRequest = new RequestType<EnterArgumentsParams, string[] | null, void>(
  'stepscope/enterArguments',
);
