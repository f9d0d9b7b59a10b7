/** A place in a source, as something to click. */
import type { Page } from '../page';
import { text } from '../strings';

interface Props {
  page: Page;
  place: { file: string; line: number };
}

export function PlaceLink({ page, place }: Props) {
  const where = page.where(place);
  return (
    <button
      type="button"
      class="place"
      title={`${place.file}:${place.line}`}
      aria-label={text('goTo', where)}
      onClick={() => {
        page.goTo(place);
      }}
    >
      {where}
    </button>
  );
}
