import { texts } from './texts.js';
/** Says that a text was changed elsewhere while the user edits it. */
export const outdated = (noun: string): string => texts.theWasChangedElsewhere(noun);

/** Lets the user choose: saving keeps the text of the editor, the button the stored one. */
export const Outdated = ({ noun, drop }: { readonly noun: string; readonly drop: () => void }) => (
  <p class="callout">
    {outdated(noun)}{' '}
    <button type="button" class="button plain" onClick={drop}>
      {texts.dropMyChanges}
    </button>
  </p>
);
