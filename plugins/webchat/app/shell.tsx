import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from './context.js';
import { Cross } from './icons.js';
import { Panel } from './panel.js';

/** The launcher and, while it is open, the panel. */
export function Shell({ root }: { root: ShadowRoot }) {
  const { chat, say } = useChat();
  const launcher = useRef<HTMLButtonElement>(null);
  const isOpen = chat.isOpen.value;
  const count = chat.unread.value;
  const before = useRef<Element | null>(null);

  // Read before the panel takes the focus.
  if (isOpen) before.current ??= document.activeElement;
  useLayoutEffect(() => {
    if (!isOpen) return;
    return () => {
      const target = before.current;
      before.current = null;
      // The focus returns to where it was, unless the visitor has moved it elsewhere.
      if (root.activeElement === null && document.activeElement !== document.body && document.activeElement !== root.host) return;
      if (target instanceof HTMLElement && target.isConnected && target !== document.body && target !== root.host) target.focus();
      else launcher.current?.focus();
    };
  }, [isOpen]);

  return (
    <>
      <button
        ref={launcher}
        type="button"
        class={isOpen ? 'launcher is-open' : 'launcher'}
        aria-expanded={isOpen}
        aria-label={isOpen ? say('close') : count > 0 ? say('launcher_unread', { count }) : say('launcher')}
        onClick={() => (isOpen ? chat.close() : chat.open())}
      >
        {isOpen && <Cross />}
        {!isOpen && count > 0 && (
          <span class="count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </button>
      {isOpen && <Panel root={root} />}
    </>
  );
}
