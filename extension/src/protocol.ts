/** The messages that Stepscope adds to the Language Server Protocol; the server's mirror of this. */
import { NotificationType } from 'vscode-languageclient/node';
import type { StepscopeReport } from './generated/report';

export interface ReportParams {
  readonly uri: string;
  readonly report: StepscopeReport;
}

/** Sent once after every successful run. */
export const reportNotification = new NotificationType<ReportParams>('stepscope/report');
