/** What is derived of a report in a line or two. */
import type { StepscopeReport } from '../../generated/report';

export type PageReport = StepscopeReport;

/** Operators ran on the CPU: their times say nothing about an accelerator. */
export const isCpuOnly = (report: PageReport) =>
  report.step_ms !== null && report.totals?.device_busy_ms === null;

/** The last part of a path of any system. */
export const baseName = (path: string) => path.split(/[\\/]/).at(-1) ?? path;

/** Every file that the report names a line of: the only ones that a click may open. */
export function filesOf(report: PageReport): Set<string> {
  const files = new Set<string>([report.run.target]);
  const add = (place: { file: string | null } | null | undefined) => {
    if (place?.file) files.add(place.file);
  };
  report.lines.forEach(add);
  for (const finding of report.findings) [finding, ...finding.related].forEach(add);
  report.verdict?.causes.forEach(add);
  report.charts?.places.forEach(add);
  report.ranks?.lines.forEach(add);
  report.ranks?.collectives.forEach(({ late_line }) => {
    add(late_line);
  });
  add(report.memory?.peak_line);
  add(report.run.assumed);
  return files;
}
