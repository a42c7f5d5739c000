import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from '../data/announce.js';
import type { MenuProps } from './menu-props.js';
import { texts } from './texts.js';

export type { MenuItem } from './menu-props.js';

/** The script of menus, once it is loaded. */
let loaded: ComponentType<MenuProps & { readonly isOpen: boolean }> | undefined;

/** A button that opens a menu. The script of menus is as large as the rest of the frame, so it is loaded when the first one is opened. */
export function Menu(props: MenuProps) {
  // A button is replaced only when it is pressed: it would lose the focus.
  const [shown, show] = useState({ part: loaded, isOpen: false });
  if (shown.part) return <shown.part {...props} isOpen={shown.isOpen} />;
  const { children, label, look = 'button plain' } = props;
  const open = async (): Promise<void> => {
    try {
      loaded = (await import('./opened-menu.js')).default;
      show({ part: loaded, isOpen: true });
    } catch {
      announce(texts.theMenuCouldNotBe);
    }
  };
  return (
    <button
      type="button"
      class={look}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => void open()}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        void open();
      }}
    >
      {children}
    </button>
  );
}
