/** The sections of the report, in their order: a new one is a file beside this and a line here. */
import type { FunctionComponent } from 'preact';
import type { PageReport } from '../model/page';
import type { Page } from '../page';
import type { TextKey } from '../strings';
import { Findings } from './findings';
import { FlameGraph } from './flame';
import { Lines } from './lines';
import { MemorySection } from './memory';
import { Modules } from './modules';
import { Operators } from './operators';
import { RanksSection } from './ranks';
import { Step } from './step';
import { TimelineSection } from './timeline';

export interface Section {
  readonly id: string;
  readonly title: TextKey;
  readonly isShown: (report: PageReport) => boolean;
  readonly Body: FunctionComponent<{ page: Page }>;
}

const always = () => true;
const hasModules = (report: PageReport) => Boolean(report.charts?.flame?.by_module);
const isTimed = (report: PageReport) => report.step_ms !== null;

export const sections: readonly Section[] = [
  { id: 'step', title: 'theStep', isShown: always, Body: Step },
  { id: 'findings', title: 'findings', isShown: isTimed, Body: Findings },
  { id: 'ranks', title: 'ranks', isShown: (report) => report.ranks !== null, Body: RanksSection },
  { id: 'timeline', title: 'timeline', isShown: isTimed, Body: TimelineSection },
  { id: 'flame', title: 'flame', isShown: isTimed, Body: FlameGraph },
  { id: 'memory', title: 'memoryOverTime', isShown: always, Body: MemorySection },
  { id: 'lines', title: 'lines', isShown: always, Body: Lines },
  { id: 'operators', title: 'operators', isShown: isTimed, Body: Operators },
  { id: 'modules', title: 'modules', isShown: hasModules, Body: Modules },
];
