/** The frame round the sections. */
import { useEffect, useReducer } from 'preact/hooks';
import type { Host } from './host';
import type { PageState } from './messages';
import type { Page } from './page';
import { SourceDialog } from './parts/source';
import { sections } from './sections';
import { Header } from './sections/header';
import { text } from './strings';

export function App({ page }: { page: Page }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => page.onChange(() => redraw(undefined)), [page]);
  const shown = sections.filter(({ isShown }) => isShown(page.report));
  return (
    <>
      <a class="skip" href="#content">
        {text('skip')}
      </a>
      <nav aria-label={text('sections')}>
        <ul>
          {shown.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{text(title)}</a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        <Header page={page} />
        {shown.map(({ id, title, Body }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`}>{text(title)}</h2>
            <Body page={page} />
          </section>
        ))}
      </main>
      {page.source && <SourceDialog page={page} at={page.source} />}
    </>
  );
}

interface MissingProps {
  message: string;
  state: PageState;
  host: Host;
}

/** In the place of a report that is not there. */
export function Missing({ message, state, host }: MissingProps) {
  return (
    <main class="missing">
      <h1>Stepscope</h1>
      <p role="status">{message}</p>
      {state.canProfile && host.send && (
        <button type="button" class="primary" onClick={() => host.send?.({ kind: 'profile' })}>
          {text('profileAgain')}
        </button>
      )}
    </main>
  );
}
