import { useRef, useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import type { Action } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Menu } from '../../components/menu.js';
import { useKept } from '../../data/kept.js';
import { FilePicker } from './composer-parts.js';
import { channelTakes, type Draft, fileActions, isChannel, kindOf, notUploaded, type Uploaded } from './contact-messages.js';
import { useSubmit } from './use-submit.js';

const ChosenFile = lazyPart(() => import('./chosen-file.js'));
const CopySheet = lazyPart(() => import('../../components/copy-sheet.js'));
const ContentSheet = lazyPart(() => import('./content-sheet.js'));

interface PhoneComposerProps {
  readonly conversation: string;
  readonly name: string;
  readonly number: NumberRecord;
  /** The call that sends a draft. */
  readonly actionFor: (draft: Draft) => Action;
  /** @returns whether the platform accepted the message */
  readonly send: (draft: Draft) => Promise<boolean>;
  readonly fail: (reason: string) => void;
}

/** Where the contact writes: texts, files, locations and contact cards. */
export function PhoneComposer({ conversation, name, number, actionFor, send, fail }: PhoneComposerProps) {
  const [text, setText] = useKept(`phone ${conversation} text`, '');
  const [file, setFile] = useKept<File | undefined>(`phone ${conversation} file`, undefined);
  const [asked, setAsked] = useState<'location' | 'contacts'>();
  const [isCopying, setCopying] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const isVoice = useRef(false);
  const channel = isChannel(number);
  const pick =
    (accept: string, voice = false) =>
    () => {
      isVoice.current = voice;
      picker.current!.accept = accept;
      picker.current!.click();
    };
  const fileDraft = (chosen: File, caption: string, uploaded: Uploaded): Draft => ({
    kind: isVoice.current ? 'voice' : kindOf(chosen),
    file: uploaded,
    filename: chosen.name,
    caption,
  });
  const { isSending, onSubmit, onKeyDown } = useSubmit({
    number,
    text,
    setText,
    file,
    setFile,
    fail,
    send: (body, sent) => send(sent ? fileDraft(sent.chosen, body, sent.uploaded) : { kind: 'text', body }),
  });
  return (
    <form class="composer" onSubmit={onSubmit}>
      <FilePicker picker={picker} choose={setFile} />
      {file && <ChosenFile file={file} remove={() => setFile(undefined)} />}
      <div class="composer-line">
        <Menu
          label={`Attach, as ${name}`}
          look="button plain round"
          items={[
            { id: 'image', label: 'Image', note: 'JPEG or PNG; WebP is a sticker', select: pick('image/jpeg,image/png,image/webp') },
            { id: 'audio', label: 'Audio', select: pick('audio/*') },
            ...(channel ? [] : [{ id: 'voice', label: 'Voice message', select: pick('audio/*', true) }]),
            { id: 'video', label: 'Video', select: pick('video/mp4,video/3gpp') },
            { id: 'document', label: 'Document', select: pick('') },
            { id: 'location', label: 'Location', ...unlessTaken('location'), select: () => setAsked('location') },
            { id: 'contacts', label: 'Contact card', ...unlessTaken('contacts'), select: () => setAsked('contacts') },
            { id: 'copy as', label: 'Copy as…', note: 'the message as curl, TypeScript, command line', select: () => setCopying(true) },
          ]}
        >
          <Draw name="attach" />
        </Menu>
        <textarea
          class="input"
          rows={1}
          dir="auto"
          aria-label={file ? `Caption, as ${name}` : `Message, as ${name}`}
          placeholder={file ? 'Caption' : 'Message'}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="button round" aria-label={`Send, as ${name}`} disabled={isSending}>
          <Draw name="send" turns />
        </button>
      </div>
      {isCopying && (
        <CopySheet
          title="Copy the message"
          actions={
            file
              ? fileActions(number, file, actionFor(fileDraft(file, text, notUploaded(file))))
              : [{ label: 'Send', action: actionFor({ kind: 'text', body: text }) }]
          }
          close={() => setCopying(false)}
        />
      )}
      {asked && (
        <ContentSheet
          kind={asked}
          close={() => setAsked(undefined)}
          actionFor={actionFor}
          send={async (draft: Draft) => {
            if (await send(draft)) setAsked(undefined);
          }}
        />
      )}
    </form>
  );

  function unlessTaken(kind: Draft['kind']) {
    return channel && !channelTakes(kind) ? { isDisabled: true, note: 'Channels do not receive it' } : {};
  }
}
