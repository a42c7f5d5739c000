import type { ComponentChildren } from 'preact';
import { announce } from '../data/announce.js';
import { controlOf } from '../data/operator.js';
import type { useAct } from './act.js';
import { type Action, copyItems } from './copy.js';
import { Menu } from './menu.js';

interface ToolActionProps {
  /** Of the toolbar, which shows the message of a failed call once for all its buttons. */
  readonly act: ReturnType<typeof useAct>;
  readonly action: Action;
  /** The text of the button. */
  readonly label: string;
  /** Said to screen readers after success. */
  readonly announcement: string;
  readonly look?: string;
  readonly done?: (result: unknown) => void;
}

/** A button of a toolbar that makes a call, joined with a menu that copies the call. */
export const ToolAction = ({ act, action, label, announcement, look = 'button outlined', done }: ToolActionProps) => (
  <ToolButton
    label={label}
    action={action}
    look={look}
    isDisabled={act.isBusy}
    onClick={() =>
      void act.run(action).then((result) => {
        if (result === undefined) return;
        announce(announcement);
        done?.(result);
      })
    }
  />
);

interface ToolButtonProps {
  readonly label: string;
  readonly action: Action;
  readonly look?: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
  /** The content of the button, if it is not its label. */
  readonly children?: ComponentChildren;
}

/** A button joined with a menu that copies the call of the button. */
export const ToolButton = ({ label, action, look = 'button outlined', isDisabled = false, onClick, children }: ToolButtonProps) => (
  <span class="joined">
    <button type="button" class={look} {...controlOf(action, isDisabled)} onClick={onClick}>
      {children ?? label}
    </button>
    <Menu look={`${look} joined-menu`} label={`Copy “${label}” as`} items={copyItems(action)}>
      <span aria-hidden="true">▾</span>
    </Menu>
  </span>
);
