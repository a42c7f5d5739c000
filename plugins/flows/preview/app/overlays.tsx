import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Cross } from './icons.js';
import type { Event } from './session.js';

interface SheetProps {
  readonly title: string;
  readonly close: () => void;
  /** Set for sheets of the preview itself; others have the direction of their component. */
  readonly dir?: 'ltr';
  readonly children: ComponentChildren;
}

/** A modal sheet over the screen, closed by Escape. The element with `data-first`, if any, has the initial focus. */
export function Sheet({ title, close, dir, children }: SheetProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isUnmounted = useRef(false);
  useEffect(() => {
    const [opener, sheet] = [document.activeElement, dialog.current];
    sheet?.showModal();
    sheet?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      // Returns the focus only if nothing else has taken it.
      const isLost = document.activeElement === document.body || sheet?.contains(document.activeElement);
      isUnmounted.current = true;
      if (!isLost || !(opener instanceof HTMLElement)) return;
      // An open modal dialog prevents focus outside of it.
      sheet?.close();
      opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser handles Escape
    <dialog
      ref={dialog}
      class="over"
      dir={dir}
      aria-labelledby={id}
      onClose={() => !isUnmounted.current && close()}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div class="over-body">
        <header class="over-head">
          <h2 id={id} dir="auto">
            {title}
          </h2>
          <button type="button" class="round" aria-label="Close" onClick={close}>
            <Cross />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

export function UrlDialog({ url, dispatch }: { url: string; dispatch: (event: Event) => void }) {
  const close = () => dispatch({ kind: 'dismiss' });
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <Sheet title="Open this address?" close={close} dir="ltr">
      <p class="address" dir="ltr">
        {url}
      </p>
      {!isWeb && <p class="quiet">This is not a web address, so the preview does not open it.</p>}
      <div class="choices">
        {isWeb && (
          <a class="button" data-first href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
            Open in a new tab
          </a>
        )}
        <button type="button" class="button plain" onClick={close}>
          Cancel
        </button>
      </div>
    </Sheet>
  );
}
