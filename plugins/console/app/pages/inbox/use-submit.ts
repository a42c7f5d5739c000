import { useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import { reasonOf } from '../../data/admin.js';
import { submitOnEnter } from './composer-parts.js';
import { type Uploaded, uploadFile } from './contact-messages.js';

interface Composition {
  readonly number: NumberRecord;
  readonly text: string;
  readonly setText: (change: (typed: string) => string) => void;
  readonly file: File | undefined;
  readonly setFile: (change: (chosen: File | undefined) => File | undefined) => void;
  /** Sends the text, which is the caption of the file if there is one. @returns whether the platform accepted the message */
  readonly send: (text: string, file?: { readonly chosen: File; readonly uploaded: Uploaded }) => Promise<boolean>;
  readonly fail: (reason: string) => void;
}

/**
 * Submits the text and the file of a composer, which come back if they could not be sent.
 * @returns `isSending`, and the listeners of the form and of its text
 */
export function useSubmit({ number, text, setText, file, setFile, send, fail }: Composition) {
  const [isSending, setSending] = useState(false);
  const isSent = async (): Promise<boolean> => {
    try {
      return await (file ? send(text, { chosen: file, uploaded: await uploadFile(number, file) }) : send(text));
    } catch (error) {
      fail(reasonOf(error));
      return false;
    }
  };
  const submit = async (): Promise<void> => {
    if (isSending || (text.trim() === '' && !file)) return;
    setSending(true);
    // Emptied before the call: what is typed while it runs belongs to the next message.
    setText(() => '');
    setFile(() => undefined);
    if (!(await isSent())) {
      setText((typed) => (typed === '' ? text : `${text}\n${typed}`));
      setFile((chosen) => chosen ?? file);
    }
    setSending(false);
  };
  return {
    isSending,
    onSubmit: (event: Event): void => {
      event.preventDefault();
      void submit();
    },
    onKeyDown: submitOnEnter(() => void submit()),
  };
}
