import { useSignal } from '@preact/signals';
import { ConfirmSheet } from './confirm.js';
import { texts } from './texts.js';

/** Says that a text was changed elsewhere while the user edits it. */
export const outdated = (noun: string): string => texts.theWasChangedElsewhere(noun);

/** Lets the user choose: saving keeps the text of the editor, the button the stored one. */
export const Outdated = ({ noun, drop }: { readonly noun: string; readonly drop: () => void }) => (
  <div class="callout">
    {outdated(noun)} <DropChanges drop={drop} />
  </div>
);

/** Drops a text that is not saved, after a question. */
export function DropChanges({ drop }: { readonly drop: () => void }) {
  const isAsking = useSignal(false);
  const close = (): void => {
    isAsking.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="button plain"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {texts.dropMyChanges}
      </button>
      {isAsking.value && (
        <ConfirmSheet
          title={texts.askDropMyChanges}
          text={texts.whatDroppingDoes}
          verb={texts.dropThem}
          go={() => {
            close();
            drop();
          }}
          close={close}
        />
      )}
    </>
  );
}
