/** One bar in parts, and the same as a table. Parts differ by colour, by pattern and by label. */
import { share } from '../format';
import { text } from '../strings';

export interface BarPart {
  readonly name: string;
  readonly label: string;
  readonly meaning: string;
  /** Of all; the parts add up to 1. */
  readonly share: number;
  /** The same as an amount. */
  readonly amount: string;
}

interface Props {
  parts: readonly BarPart[];
  /** What a screen reader says of the bar. */
  label: string;
  small?: boolean;
}

export function StackedBar({ parts, label, small = false }: Props) {
  return (
    <div class={small ? 'bar small' : 'bar'} role="img" aria-label={label}>
      {parts
        .filter((part) => part.share > 0)
        .map((part) => (
          <div
            key={part.name}
            class={`part ${part.name}`}
            style={{ flexGrow: part.share }}
            title={`${part.label} ${share(part.share)} · ${part.amount}`}
          >
            {!small && (
              <span>
                {part.label} {share(part.share)}
              </span>
            )}
          </div>
        ))}
    </div>
  );
}

interface LegendProps {
  parts: readonly BarPart[];
  caption: string;
  first: string;
  amount: string;
}

export function Legend({ parts, caption, first, amount }: LegendProps) {
  return (
    <table class="legend">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" class="number">
            {text('share')}
          </th>
          <th scope="col" class="number">
            {amount}
          </th>
          <th scope="col">{text('meaning')}</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={part.name} class={part.share > 0 ? undefined : 'nothing'}>
            <th scope="row">
              <span class={`swatch part ${part.name}`} aria-hidden="true" />
              {part.label}
            </th>
            <td class="number">{share(part.share)}</td>
            <td class="number">{part.amount}</td>
            <td class="muted">{part.meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
