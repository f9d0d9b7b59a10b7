/** Search of a chart: what is found, and from one to the next. */
import { text } from '../strings';

interface Props {
  label: string;
  query: string;
  /** In words; "" while nothing is looked for. */
  status: string;
  onQuery: (query: string) => void;
  /** 1: the next, -1: the one before. */
  onStep: (by: 1 | -1) => void;
}

export function SearchBox({ label, query, status, onQuery, onStep }: Props) {
  return (
    <div class="search" role="search" aria-label={label}>
      <input
        type="search"
        value={query}
        placeholder={label}
        aria-label={label}
        onInput={(event) => {
          onQuery(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
        }}
      />
      {query && (
        <>
          <button
            type="button"
            aria-label={text('previousMatch')}
            title={text('previousMatch')}
            onClick={() => {
              onStep(-1);
            }}
          >
            ‹
          </button>
          <button
            type="button"
            aria-label={text('nextMatch')}
            title={text('nextMatch')}
            onClick={() => {
              onStep(1);
            }}
          >
            ›
          </button>
        </>
      )}
      <span class="muted" role="status">
        {status}
      </span>
    </div>
  );
}
