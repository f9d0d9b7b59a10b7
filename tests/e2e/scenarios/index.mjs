/**
 * What is checked, in the order in which one person would do it. Each scenario starts where the last
 * of its topic ended; a topic needs no other topic before it, but `ending` leaves no editor.
 */
import { scenarios as firstProfile } from './first_profile.mjs';
import { scenarios as lines } from './lines.mjs';
import { scenarios as cancelling } from './cancelling.mjs';
import { scenarios as targets } from './targets.mjs';
import { scenarios as recordings } from './recordings.mjs';
import { scenarios as report } from './report.mjs';
import { scenarios as restricted } from './restricted.mjs';
import { scenarios as running } from './running.mjs';
import { scenarios as interpreters } from './interpreters.mjs';
import { scenarios as ending } from './ending.mjs';

export const topics = {
  firstProfile,
  lines,
  cancelling,
  targets,
  recordings,
  report,
  running,
  restricted,
  interpreters,
  ending,
};
