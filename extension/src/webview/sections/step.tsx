/** The step as one bar, with the verdict in a sentence. */
import { duration, share } from '../format';
import { stepParts } from '../model/parts';
import type { Page } from '../page';
import { Legend, StackedBar } from '../parts/stacked-bar';
import { text } from '../strings';

export function Step({ page }: { page: Page }) {
  const { breakdown, verdict, step_ms: step } = page.report;
  if (!breakdown || !step) return <p>{text('nothingTimed')}</p>;
  const parts = stepParts.map(({ name, label, meaning }) => ({
    name,
    label: text(label),
    meaning: text(meaning),
    share: breakdown[name],
    amount: duration(breakdown[name] * step.median),
  }));
  const spoken = parts
    .filter((part) => part.share > 0)
    .map((part) => `${part.label} ${share(part.share)}`);
  return (
    <>
      {verdict && <p class="verdict">{verdict.sentence}</p>}
      <StackedBar parts={parts} label={text('stepBar', duration(step.median), spoken.join(', '))} />
      <Legend parts={parts} caption={text('theStep')} first={text('part')} amount={text('time')} />
    </>
  );
}
