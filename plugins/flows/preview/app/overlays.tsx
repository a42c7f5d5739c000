import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Json } from './panels.js';
import type { Event, Overlay } from './session.js';

/** A sheet over the screen. It keeps the focus, and Escape closes it. */
export function Sheet({
  title,
  close,
  children,
  wide = false,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  useEffect(() => {
    const [opener, sheet] = [document.activeElement, dialog.current];
    sheet?.showModal();
    return () => {
      // By then the focus may have gone on to somewhere else.
      const isLost = document.activeElement === document.body || sheet?.contains(document.activeElement);
      isGone.current = true;
      if (!isLost || !(opener instanceof HTMLElement)) return;
      // While it is open nothing outside of it takes the focus.
      sheet?.close();
      opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by the browser
    <dialog
      ref={dialog}
      class={`over ${wide ? 'wide' : ''}`}
      aria-labelledby="sheet-title"
      onClose={() => !isGone.current && close()}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div class="over-body">
        <h2 id="sheet-title" dir="auto">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

export function UrlDialog({ url, dispatch }: { url: string; dispatch: (event: Event) => void }) {
  const close = () => dispatch({ kind: 'dismiss' });
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <Sheet title="Open this address?" close={close}>
      <p class="address" dir="ltr">
        {url}
      </p>
      {!isWeb && <p class="quiet">It is not an address of the web, so it is not opened here.</p>}
      <div class="choices">
        {isWeb && (
          <a class="button" href={url} target="_blank" rel="noopener noreferrer" onClick={close}>
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

/** No endpoint is called; whoever looks chooses what it would answer. */
export function ExchangePanel({ overlay, dispatch }: { overlay: Overlay & { kind: 'exchange' }; dispatch: (event: Event) => void }) {
  const close = () => dispatch({ kind: 'dismiss' });
  return (
    <Sheet title="A request to the endpoint" close={close}>
      <p class="quiet">No endpoint is called here. This is what it would be asked:</p>
      <Json value={overlay.request} label="The request" id="request" />
      <p class="quiet">Go on with the example data of the screen that it would answer with:</p>
      <div class="choices">
        {overlay.next.map((id) => (
          <button
            type="button"
            key={id}
            class="button plain"
            onClick={() => {
              close();
              dispatch({ kind: 'act', action: { name: 'navigate', next: { type: 'screen', name: id }, payload: {} } });
            }}
          >
            {id}
          </button>
        ))}
      </div>
    </Sheet>
  );
}
