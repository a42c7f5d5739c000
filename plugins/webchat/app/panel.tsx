import { useLayoutEffect, useRef } from 'preact/hooks';
import { Composer } from './composer.js';
import { useChat } from './context.js';
import { FormView } from './form.js';
import { Cross } from './icons.js';
import { Log } from './log.js';
import { summaryOf } from './message.js';

/** Where the style sheet lets the panel cover the page. */
const COVERS = matchMedia('(width < 480px), (height < 480px)');

/** The conversation: a dialog that leaves the page usable, or a modal one where it covers the page. */
export function Panel({ root }: { root: ShadowRoot }) {
  const { chat, say, direction } = useChat();
  const panel = useRef<HTMLDialogElement>(null);
  const { name } = chat.config;
  const form = chat.form.value;
  const opened = useRef(form);
  const leave = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
    if (form) chat.form.value = undefined;
    else chat.close();
  };
  useLayoutEffect(() => {
    const show = (): void => {
      const focused = root.activeElement as HTMLElement | null;
      panel.current!.close();
      if (COVERS.matches) panel.current!.showModal();
      else panel.current!.show();
      panel.current!.ariaModal = String(COVERS.matches);
      focused?.focus();
    };
    show();
    COVERS.addEventListener('change', show);
    // A dialog that is taken out of the page is no longer modal.
    root.host.addEventListener('attached', show);
    return () => {
      COVERS.removeEventListener('change', show);
      root.host.removeEventListener('attached', show);
    };
  }, []);
  useLayoutEffect(() => {
    // After a form, the focus returns to the button that has opened it.
    const from = form ? undefined : panel.current?.querySelector<HTMLElement>(`#form-${opened.current?.position}[aria-disabled=false]`);
    if (!form) (from ?? panel.current?.querySelector('textarea'))?.focus();
    opened.current = form;
  }, [form]);
  return (
    <dialog
      ref={panel}
      class="panel"
      aria-label={name}
      onKeyDown={(event) => event.key === 'Escape' && !event.isComposing && leave(event)}
      // The gesture for going back.
      onCancel={leave}
    >
      {/* The page's direction decides on the side of the panel, and the chat's on what is in it. */}
      <div class="inside" dir={direction}>
        <header class="bar">
          <h2 dir="auto">{name}</h2>
          <button type="button" class="tool" aria-label={say('close')} title={say('close')} onClick={chat.close}>
            <Cross />
          </button>
        </header>
        {form ? (
          <FormView />
        ) : (
          <>
            <Log />
            <Notice />
            <Composer />
          </>
        )}
        <div class="unseen" aria-live="polite" role="log">
          {chat.announced.value.map((message) => (
            <p key={message.position}>{`${name}: ${summaryOf(message, say)}`}</p>
          ))}
        </div>
      </div>
    </dialog>
  );
}

/** Says why nothing arrives or leaves. */
function Notice() {
  const { chat, say } = useChat();
  const state = chat.state.value;
  const name = [
    !chat.isOnline.value && ('offline' as const),
    state === 'refused' && ('refused' as const),
    state === 'trouble' && ('unable' as const),
    chat.queue.isThrottled.value && ('too_many' as const),
    !chat.isKept() && ('not_kept' as const),
  ].find((one) => one !== false);
  return (
    <div class="notice" role="status">
      {name && <p>{say(name)}</p>}
      {state === 'refused' && (
        <button type="button" class="link" onClick={chat.retry}>
          {say('again')}
        </button>
      )}
    </div>
  );
}
