import { useSignal } from '@preact/signals';
import { announce } from '../data/announce.js';
import type { useAct } from './act.js';
import { type Confirmed, ConfirmSheet } from './confirm.js';
import type { Action } from './copy.js';
import { ToolButton } from './tool-button.js';

interface ToolActionProps {
  /** Of the toolbar, which shows the message of a failed call once for all its buttons. */
  readonly act: ReturnType<typeof useAct>;
  readonly action: Action;
  /** The text of the button. */
  readonly label: string;
  /** Said to screen readers after success. */
  readonly announcement: string;
  readonly look?: string;
  /** Explains the button. */
  readonly title?: string;
  /** Asks before a call that cannot be undone. */
  readonly confirm?: Confirmed;
  readonly done?: (result: unknown) => void;
}

/** A button of a toolbar that makes a call, joined with a menu that copies the call. */
export function ToolAction({ act, action, label, announcement, look = 'button outlined', title, confirm, done }: ToolActionProps) {
  const isAsking = useSignal(false);
  const go = async (): Promise<void> => {
    isAsking.value = false;
    const result = await act.run(action);
    if (result === undefined) return;
    announce(announcement);
    done?.(result);
  };
  return (
    <>
      <ToolButton
        label={label}
        action={action}
        look={look}
        title={title}
        isDisabled={act.isBusy}
        onClick={() => {
          if (confirm) isAsking.value = true;
          else void go();
        }}
      />
      {confirm && isAsking.value && (
        <ConfirmSheet
          {...confirm}
          go={() => void go()}
          close={() => {
            isAsking.value = false;
          }}
        />
      )}
    </>
  );
}
