import type { ComponentChildren } from 'preact';
import { controlOf } from '../data/operator.js';
import { type Action, JoinedCopyAs } from './copy.js';

interface ToolButtonProps {
  readonly label: string;
  readonly action: Action;
  readonly look?: string;
  readonly isDisabled?: boolean;
  /** Explains the button. */
  readonly title?: string | undefined;
  readonly onClick: () => void;
  /** The content of the button, if it is not its label. */
  readonly children?: ComponentChildren;
}

/** A button joined with a menu that copies the call of the button. */
export const ToolButton = ({ label, action, look = 'button outlined', isDisabled = false, title, onClick, children }: ToolButtonProps) => (
  <span class="joined">
    <button type="button" class={look} title={title} {...controlOf(action, isDisabled)} onClick={onClick}>
      {children ?? label}
    </button>
    <JoinedCopyAs action={action} label={label} look={look} />
  </span>
);
