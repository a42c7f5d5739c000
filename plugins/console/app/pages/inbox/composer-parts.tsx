import type { Ref } from 'preact';
import type { MessageRecord } from '#core';
import { summaryOf } from './content.js';
import { texts } from './texts.js';

/** Enter submits, Shift+Enter starts a line. Enter that ends the composition of a character does not submit. */
export const submitOnEnter =
  (submit: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };

/** A hidden field that a menu item opens. The same file can be chosen twice in a row. */
export const FilePicker = ({ picker, choose }: { picker: Ref<HTMLInputElement>; choose: (file: File | undefined) => void }) => (
  <input
    ref={picker}
    type="file"
    hidden
    onChange={({ currentTarget }) => {
      choose(currentTarget.files?.[0]);
      currentTarget.value = '';
    }}
  />
);

/** The message that the next one refers to. */
export const Quoted = ({ message, remove }: { message: MessageRecord; remove: () => void }) => (
  <p class="replying">
    <span class="quote" dir="auto">
      {summaryOf(message)}
    </span>
    <button type="button" class="button plain" onClick={remove}>
      {texts.doNotQuote}
    </button>
  </p>
);
