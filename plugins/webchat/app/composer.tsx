import { useEffect, useRef, useState } from 'preact/hooks';
import { useChat } from './context.js';
import { bytes } from './file.js';
import { Clip, Cross, Page, Send } from './icons.js';

const MAX_ROWS = 5;
/** The limit of a message, in characters. */
const MAX_TEXT = 4_096;
const IDLE_MS = 6_000;

/** A text as messages of the longest length, each cut at a line or a word if there is one. */
function partsOf(text: string): string[] {
  const rest = text.trim();
  if (rest.length <= MAX_TEXT) return [rest];
  const end = ['\n', ' '].map((one) => rest.lastIndexOf(one, MAX_TEXT)).find((at) => at > MAX_TEXT / 2) ?? MAX_TEXT;
  // Not within a character of two halves.
  const part = rest.slice(0, end).replace(/[\ud800-\udbff]$/, '');
  return [part.trimEnd(), ...partsOf(rest.slice(part.length))];
}

/** Where the visitor writes. Chosen files are sent with the text as their caption. */
export function Composer() {
  const { chat, say } = useChat();
  const [files, setFiles] = useState<readonly File[]>([]);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const idle = useRef<ReturnType<typeof setTimeout>>();
  const text = chat.draft.value;
  const canUpload = chat.config.features.upload;
  const isEmpty = text.trim() === '' && files.length === 0;

  const stopTyping = (): void => {
    clearTimeout(idle.current);
    chat.type(false);
  };
  useEffect(() => stopTyping, []);

  const send = (event: Event): void => {
    event.preventDefault();
    input.current?.focus();
    if (isEmpty) return;
    const parts = partsOf(text);
    const caption = files.length > 0 && parts.length === 1 ? parts.pop()! : '';
    for (const part of parts) chat.queue.add({ type: 'text', text: part });
    for (const [i, file] of files.entries()) chat.uploads.add(file, i === 0 ? caption : '');
    chat.draft.value = '';
    setFiles([]);
    stopTyping();
  };
  const add = (given: FileList | null | undefined): void => {
    if (!canUpload || !given || given.length === 0) return;
    setFiles([...files, ...given]);
    input.current?.focus();
  };

  return (
    <form class="composer" onSubmit={send}>
      {files.length > 0 && (
        <ul class="files">
          {files.map((file, i) => (
            <li key={i}>
              <Page />
              <span dir="auto">
                {file.name}
                <small>{bytes(file.size)}</small>
              </span>
              <button
                type="button"
                class="tool"
                aria-label={say('remove', { name: file.name })}
                onClick={() => {
                  setFiles(files.filter((one) => one !== file));
                  input.current?.focus();
                }}
              >
                <Cross />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="line">
        {canUpload && (
          <>
            <button type="button" class="tool" aria-label={say('attach')} title={say('attach')} onClick={() => picker.current?.click()}>
              <Clip />
            </button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              onChange={({ currentTarget }) => {
                add(currentTarget.files);
                currentTarget.value = '';
              }}
            />
          </>
        )}
        <textarea
          ref={input}
          dir="auto"
          rows={Math.min(MAX_ROWS, text.split('\n').length)}
          value={text}
          aria-label={say('write')}
          placeholder={say('write')}
          onInput={({ currentTarget: { value } }) => {
            chat.draft.value = value;
            clearTimeout(idle.current);
            if (value.trim() === '') return stopTyping();
            chat.type(true);
            idle.current = setTimeout(stopTyping, IDLE_MS);
          }}
          onPaste={(event) => add(event.clipboardData?.files)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
          }}
        />
        <button type="submit" class="tool send" aria-label={say('send')} title={say('send')} aria-disabled={isEmpty}>
          <Send />
        </button>
      </div>
    </form>
  );
}
