/** What slows the step down, each with its evidence and the line to go to. */
import type { Finding, Trial } from '../../generated/report';
import { count, duration } from '../format';
import type { Page } from '../page';
import { PlaceLink } from '../parts/place';
import { text } from '../strings';

export function Findings({ page }: { page: Page }) {
  const { findings } = page.report;
  if (findings.length === 0) return <p>{text('noFindings')}</p>;
  return (
    <ol class="findings">
      {findings.map((finding, at) => (
        <FindingItem key={at} page={page} finding={finding} />
      ))}
    </ol>
  );
}

function FindingItem({ page, finding }: { page: Page; finding: Finding }) {
  const evidence = Object.entries(finding.evidence);
  return (
    <li class={`finding ${finding.severity}`}>
      <p class="head">
        <span class="severity">{text(finding.severity)}</span>
        <PlaceLink page={page} place={finding} />
        <Rule page={page} rule={finding.rule} />
        {finding.gain_ms && <span class="gain">{gain(finding.gain_ms)}</span>}
      </p>
      <p>{finding.message}</p>
      {finding.gain_source && <p class="muted">{finding.gain_source}</p>}
      {finding.fix && <p class="fix">{text('fixOffered', finding.fix.title)}</p>}
      {finding.trial && <p class="fix">{trial(finding.trial)}</p>}
      {finding.related.length > 0 && (
        <ul class="related">
          {finding.related.map((other, at) => (
            <li key={at}>
              <PlaceLink page={page} place={other} /> {other.message}
            </li>
          ))}
        </ul>
      )}
      {evidence.length > 0 && (
        <details>
          <summary>{text('evidence')}</summary>
          <dl class="facts">
            {evidence.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value === 'number' ? count(value) : value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

function Rule({ page, rule }: { page: Page; rule: string }) {
  const { send } = page.host;
  if (!send) return <span class="rule">{rule}</span>;
  return (
    <button
      type="button"
      class="rule"
      aria-label={text('explain', rule)}
      onClick={() => {
        send({ kind: 'explain', rule });
      }}
    >
      {rule}
    </button>
  );
}

function trial({ before_ms: before, after_ms: after, differs }: Trial): string {
  const [from, to] = [duration(before.median), duration(after.median)];
  return text(differs ? 'trialGained' : 'trialSame', from, to);
}

function gain([low, high]: [number, number]): string {
  const [least, most] = [duration(low), duration(high)];
  return least === most ? text('gain', least) : text('gainRange', least, most);
}
