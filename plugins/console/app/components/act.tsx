import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CallFailed } from '../data/admin.js';
import { announce } from '../data/announce.js';
import { controlOf } from '../data/operator.js';
import { type Confirmed, ConfirmSheet } from './confirm.js';
import { type Action, CopyAs, perform } from './copy.js';

/**
 * A call that the user starts: whether it runs, why the last one failed, and `run`, which returns undefined after a failure. With `explain`
 * the page can show a failure in another way, and returns true.
 */
export function useAct() {
  const isBusy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const run = async <T,>(action: Action, explain?: (failure: CallFailed) => boolean | Promise<boolean>): Promise<T | undefined> => {
    if (isBusy.value) return undefined;
    isBusy.value = true;
    error.value = undefined;
    try {
      return await perform<T>(action);
    } catch (failure) {
      if (failure instanceof CallFailed && (await explain?.(failure))) return undefined;
      error.value = failure instanceof CallFailed ? failure.message : String(failure);
      return undefined;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy: isBusy.value, error: error.value, run };
}

/** The message of a failed call, beside its control. */
export const ActError = ({ error }: { error: string | undefined }) =>
  error === undefined ? null : (
    <p class="act-error" role="alert" dir="auto">
      {error}
    </p>
  );

interface ActButtonProps<T> {
  readonly action: Action;
  readonly done?: (result: T) => void;
  /** Said to screen readers after success. */
  readonly announcement?: string;
  readonly look?: string;
  readonly disabled?: boolean;
  /** Asks before the call. */
  readonly confirm?: Confirmed;
  /** False where a second button has no place: the dialog of `confirm` has the call to copy then. */
  readonly hasCopy?: boolean;
  readonly children: ComponentChildren;
}

/** A button that makes a call, with the call to copy, and the message of the server if the call fails. */
export function ActButton<T>({
  action,
  done,
  announcement,
  look = 'button',
  disabled,
  confirm,
  hasCopy = true,
  children,
}: ActButtonProps<T>) {
  const { isBusy, error, run } = useAct();
  const isAsking = useSignal(false);
  const go = async (): Promise<void> => {
    isAsking.value = false;
    const result = await run<T>(action);
    if (result === undefined) return;
    if (announcement !== undefined) announce(announcement);
    done?.(result);
  };
  return (
    <div class="act">
      <button
        type="button"
        class={look}
        {...controlOf(action, disabled || isBusy)}
        onClick={() => {
          if (confirm) isAsking.value = true;
          else void go();
        }}
      >
        {children}
      </button>
      {hasCopy && <CopyAs action={action} />}
      <ActError error={error} />
      {confirm && isAsking.value && (
        <ConfirmSheet
          {...confirm}
          go={() => void go()}
          close={() => {
            isAsking.value = false;
          }}
        >
          {!hasCopy && <CopyAs action={action} />}
        </ConfirmSheet>
      )}
    </div>
  );
}

interface ActFormProps<T> {
  /** Built from the current values of the fields. */
  readonly action: Action;
  readonly verb: string;
  readonly done: (result: T) => void;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A form that makes a call when it is submitted. */
export function ActForm<T>({ action, verb, done, label, children }: ActFormProps<T>) {
  const { isBusy, error, run } = useAct();
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void run<T>(action).then((result) => result !== undefined && done(result));
      }}
    >
      {children}
      <ActError error={error} />
      <div class="buttons">
        <button type="submit" class="button" {...controlOf(action, isBusy)}>
          {verb}
        </button>
        <CopyAs action={action} />
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly note?: ComponentChildren;
  readonly type?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

/** A labelled text field. */
export function Field({ label, value, set, note, type = 'text', placeholder, required = true }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type={type}
        value={value}
        required={required}
        placeholder={placeholder}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        autocomplete="off"
        spellcheck={false}
        dir="auto"
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      {note !== undefined && <small id={`${id}-note`}>{note}</small>}
    </div>
  );
}
