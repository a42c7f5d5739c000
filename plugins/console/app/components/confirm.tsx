import type { ComponentChildren } from 'preact';
import { Sheet } from '../../../../core/web/sheet.js';
import { texts } from './texts.js';

/** The texts of a dialog before a call that cannot be undone. */
export interface Confirmed {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly verb: string;
  /** For a call that destroys nothing: red is for those that do. */
  readonly isSafe?: boolean;
}

/** Asks once before a call that cannot be undone. */
export const ConfirmSheet = ({ title, text, verb, isSafe, go, close, children }: ConfirmSheetProps) => (
  <Sheet title={title} look="dialog" close={close}>
    <div class="confirm">
      <div>{text}</div>
      <div class="buttons">
        <button type="button" class={isSafe ? 'button' : 'button bad'} onClick={go}>
          {verb}
        </button>
        <button type="button" class="button outlined" data-first onClick={close}>
          {isSafe ? texts.notNow : texts.keepIt}
        </button>
        {children}
      </div>
    </div>
  </Sheet>
);

interface ConfirmSheetProps extends Confirmed {
  readonly go: () => void;
  readonly close: () => void;
  /** Beside the buttons. */
  readonly children?: ComponentChildren;
}
