/** The text of a line, in a page that has no editor beside it. */
import { useEffect, useRef } from 'preact/hooks';
import type { Focus } from '../messages';
import type { Page } from '../page';
import { text } from '../strings';

export function SourceDialog({ page, at }: { page: Page; at: Focus }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, [at]);
  const source = page.sourceText(at);
  return (
    <dialog
      ref={dialog}
      class="source"
      aria-label={text('sourceOf', page.where(at))}
      onClose={() => {
        page.closeSource();
      }}
    >
      <p class="muted">
        {at.file}:{at.line}
      </p>
      {source === null ? (
        <p>{text('noSource')}</p>
      ) : (
        <pre>
          <span class="number">{at.line}</span>
          {source}
        </pre>
      )}
      <form method="dialog">
        <button type="submit">{text('close')}</button>
      </form>
    </dialog>
  );
}
