import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { mayTakeFocus } from './focus.js';
import { Cross } from './icons.js';
import { texts } from './texts.js';

interface SheetProps {
  readonly title: string;
  readonly close: () => void;
  /** Set where the text around the sheet may have another direction. */
  readonly dir?: 'ltr';
  /** A class beside `over`, such as `drawer`. */
  readonly look?: string;
  readonly children: ComponentChildren;
}

/** A modal dialog over the page, closed by Escape or a click beside it. The element with `data-first`, if any, has the initial focus. */
export function Sheet({ title, close, dir, look, children }: SheetProps) {
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
      if (!isLost || !mayTakeFocus() || !(opener instanceof HTMLElement)) return;
      // An open modal dialog prevents focus outside of it.
      sheet?.close();
      opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser handles Escape
    <dialog
      ref={dialog}
      class={look === undefined ? 'over' : `over ${look}`}
      dir={dir}
      aria-labelledby={id}
      onClose={() => !isUnmounted.current && close()}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div class="over-body">
        <div class="over-head">
          <h2 id={id} dir="auto">
            {title}
          </h2>
          <button type="button" class="round" aria-label={texts.close} onClick={close}>
            <Cross />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
