/** What the tests of the extension use of reports.mjs. */
type Make = () => Record<string, unknown>;
export const report: Make;
export const snapshot: Make;
export const cpuOnly: Make;
export const ranks: Make;
export const hostile: Make;
