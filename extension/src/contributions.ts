/**
 * Every id that the manifest (package.json) and the code share. `tests/extension/contributions`
 * compares the two.
 */

/** Commands that a person runs. Each has one file in `commands/`. */
export const commandIds = {
  profileModel: 'stepscope.profileModel',
  profileWith: 'stepscope.profileWith',
  openSample: 'stepscope.openSample',
  openTrace: 'stepscope.openTrace',
  openTraceFolder: 'stepscope.openTraceFolder',
  openReport: 'stepscope.openReport',
  openSavedReport: 'stepscope.openSavedReport',
  cancelProfile: 'stepscope.cancelProfile',
  clearResults: 'stepscope.clearResults',
  restartServer: 'stepscope.restartServer',
  showLog: 'stepscope.showLog',
  showOutput: 'stepscope.showOutput',
  showMenu: 'stepscope.showMenu',
  copyDebugInfo: 'stepscope.copyDebugInfo',
  copyFigures: 'stepscope.copyFigures',
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/**
 * Commands that the server registers through the protocol, as any client would run them. They
 * differ from the ones above, because the language client makes VS Code commands of these too.
 */
export const serverCommandIds = {
  profile: 'stepscope.profile',
  open: 'stepscope.open',
  fixAndMeasure: 'stepscope.fixAndMeasure',
  cancel: 'stepscope.cancel',
  clear: 'stepscope.clear',
  getReport: 'stepscope.getReport',
  editAssumption: 'stepscope.editAssumption',
  removeNewFiles: 'stepscope.removeNewFiles',
} as const;

/** Context keys for `when` clauses of the manifest. */
export const contextKeys = {
  /** The files that have a report: a list of paths. */
  measured: 'stepscope.measured',
  /** The steps of the walkthrough that were taken. */
  profiled: 'stepscope.profiled',
  lineRead: 'stepscope.lineRead',
  measuredAgain: 'stepscope.measuredAgain',
} as const;

/** The tab with a report. */
export const reportViewType = 'stepscope.report';

/** `<publisher>.<name>` of the manifest. */
export const extensionId = 'stepscope.stepscope';

export const settingsSection = 'stepscope';

/** Settings, without the section. */
export const settingKeys = {
  interpreter: 'interpreter',
  args: 'args',
  cwd: 'cwd',
  steps: 'steps',
  timeout: 'timeout',
  modelInputs: 'modelInputs',
  askAfter: 'askAfter',
  stepTimeout: 'stepTimeout',
  grace: 'grace',
  cpu: 'cpu',
  env: 'env',
  guard: 'guard',
  processesPerNode: 'processesPerNode',
  disabledRules: 'rules.disable',
  ruleSeverity: 'rules.severity',
  hintPrecision: 'inlayHints.precision',
  runLenses: 'codeLens.run',
  totalLenses: 'codeLens.totals',
  heat: 'heat.enabled',
  traceSourceMap: 'trace.sourceMap',
} as const;

/** Colours of hot lines, from a little to much; `package.json` has their defaults. */
export const heatColors = [
  'stepscope.heatLow',
  'stepscope.heatMedium',
  'stepscope.heatHigh',
] as const;

/** The settings that a workspace nobody trusts yet must not decide. */
export const restrictedSettings = [
  'interpreter',
  'args',
  'cwd',
  'env',
  'modelInputs',
  'guard',
] as const;

/** Endings of recordings, as a file dialog wants them. */
export const traceFilter = ['json', 'json.gz', 'gz', 'pickle', 'capture'] as const;

export const pythonLanguage = 'python';
