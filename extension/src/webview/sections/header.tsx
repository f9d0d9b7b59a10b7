/** What was measured, when, on what, and what a reader must know of it. */
import type { ComponentChildren } from 'preact';
import { duration, ratio, share } from '../format';
import { isCpuOnly } from '../model/page';
import type { Page } from '../page';
import { PlaceLink } from '../parts/place';
import { text } from '../strings';

export function Header({ page }: { page: Page }) {
  const { report, host, state } = page;
  const { run, step_ms: step } = report;
  return (
    <header>
      <div class="title">
        <h1>
          {page.title}
          {run.model && <span class="of-model">{run.model}</span>}
        </h1>
        {isCpuOnly(report) && <span class="badge">{text('cpuOnly')}</span>}
        {state.source?.kind === 'saved' && <span class="badge">{text('savedReport')}</span>}
        {state.canProfile && host.send && (
          <button type="button" onClick={() => host.send?.({ kind: 'profile' })}>
            {text('profileAgain')}
          </button>
        )}
      </div>
      <p class="step-time">
        <span class="label">{text('step')}</span>{' '}
        <strong>{step ? duration(step.median) : text('notTimed')}</strong>{' '}
        {step && (
          <span class="muted">{text('stepRange', duration(step.p10), duration(step.p90))}</span>
        )}
      </p>
      <Remarks page={page} />
      <dl class="facts">{facts(page)}</dl>
    </header>
  );
}

function Remarks({ page }: { page: Page }) {
  const { run, notes } = page.report;
  return (
    <>
      {page.stale.length > 0 && (
        <Remark kind="warning" title={text('stale')}>
          {text('staleMeans', page.stale.map((file) => page.nameOf(file)).join(', '))}
        </Remark>
      )}
      {isCpuOnly(page.report) && (
        <Remark kind="note" title={text('cpuOnly')}>
          {text('cpuOnlyMeans')}
        </Remark>
      )}
      {run.assumed && (
        <Remark kind="note" title={text('assumed')}>
          {text('assumedMeans', run.assumed.constructor, run.assumed.inputs, run.assumed.source)}{' '}
          <PlaceLink page={page} place={run.assumed} />
        </Remark>
      )}
      {notes.length > 0 && (
        <Remark kind="note" title={text('notes')}>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Remark>
      )}
    </>
  );
}

interface RemarkProps {
  kind: 'warning' | 'note';
  title: string;
  children: ComponentChildren;
}

const Remark = ({ kind, title, children }: RemarkProps) => (
  <div class={`remark ${kind}`} role="note">
    <strong>{title}</strong> <span>{children}</span>
  </div>
);

function facts({ report }: Page) {
  const { run, tax, coverage, unattributed, step_ms: step } = report;
  const known: [string, string | null][] = [
    [text('device'), run.device],
    [text('measured'), run.started && when(run.started)],
    [text('stepsTimed'), step && text('stepsAndWarmup', run.steps, run.warmup)],
    [text('stepsFound'), step && run.boundary],
    [text('arguments'), run.args.join(' ') || null],
    [text('process'), run.process === 'main' ? null : run.process || null],
    [text('software'), [run.torch && `torch ${run.torch}`, run.python].filter(Boolean).join(', ')],
    [text('tax'), step && (tax === null ? text('taxUnknown') : text('taxMeans', ratio(tax)))],
    [text('covered'), coverage.host === null ? null : text('coveredShare', share(coverage.host))],
    [text('unattributed'), unattributed.cost_ms === null ? null : duration(unattributed.cost_ms)],
  ];
  return known
    .filter(([, value]) => value)
    .map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ));
}

/** In the reader's own time and way of writing it. */
function when(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime())
    ? iso
    : time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
