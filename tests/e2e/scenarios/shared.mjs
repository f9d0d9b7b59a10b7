/** What several topics need. */
import path from 'node:path';
import { marked } from '../lib/processes.mjs';

export const PROFILE = 'Stepscope: Profile this model';
export const PROFILING = 'Profiling image_classifier.py';
/** Part of what the progress says once the file makes steps; one phase alone may be too short. */
export const A_STEP = ' · step ';
/** A whole run: starting Python and torch, the steps, the analysis. */
export const RUN_LIMIT = 120_000;
export const COST = /^(<1|>99|\d+(\.\d+)?) % · +\d+(\.\d+)? (µs|ms|s)( · ↑ \d+(\.\d+)? [kMG]?B)?$/;

export async function runToTheEnd(bench) {
  await bench.notified(PROFILING);
  await bench.gone(PROFILING, RUN_LIMIT);
}

/** Processes that run the profiled file; the editor's own mention it nowhere. */
export const runs = ({ run, sample }) =>
  marked(run).filter(({ command }) => command.includes(path.basename(sample.file)));

export const servers = ({ run }) =>
  marked(run).filter(({ command }) => command.endsWith('launch.py serve'));
