import { useRef, useState } from 'preact/hooks';
import type { NumberRecord } from '#core';
import type { Action } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Menu } from '../../components/menu.js';
import { useKept } from '../../data/kept.js';
import { FilePicker } from './composer-parts.js';
import { channelTakes, type Draft, fileActions, isChannel, kindOf, notUploaded, type Uploaded } from './contact-messages.js';
import { texts } from './texts.js';
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
    <form class="composer phone-composer" onSubmit={onSubmit}>
      <FilePicker picker={picker} choose={setFile} />
      {file && <ChosenFile file={file} remove={() => setFile(undefined)} />}
      <div class="composer-line">
        <Menu
          label={texts.attachAs(name)}
          look="button plain round"
          items={[
            { id: 'image', label: texts.image, note: texts.jpegOrPngWebpIs, select: pick('image/jpeg,image/png,image/webp') },
            { id: 'audio', label: texts.audio, select: pick('audio/*') },
            ...(channel ? [] : [{ id: 'voice', label: texts.voiceMessage, select: pick('audio/*', true) }]),
            { id: 'video', label: texts.video, select: pick('video/mp4,video/3gpp') },
            { id: 'document', label: texts.document, select: pick('') },
            { id: 'location', label: texts.location2, ...unlessTaken('location'), select: () => setAsked('location') },
            { id: 'contacts', label: texts.contactCard2, ...unlessTaken('contacts'), select: () => setAsked('contacts') },
            { id: 'copy as', label: texts.copyAs, note: texts.theMessageAsCurlTypescript, select: () => setCopying(true) },
          ]}
        >
          <Draw name="attach" />
        </Menu>
        <textarea
          class="input"
          rows={1}
          dir="auto"
          aria-label={file ? texts.captionAs(name) : texts.messageAs(name)}
          placeholder={file ? texts.caption : texts.writeAs(name)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="button round" aria-label={texts.sendAs(name)} disabled={isSending}>
          <Draw name="send" turns />
        </button>
      </div>
      {isCopying && (
        <CopySheet
          title={texts.copyTheMessage}
          actions={
            file
              ? fileActions(number, file, actionFor(fileDraft(file, text, notUploaded(file))))
              : [{ label: texts.send, action: actionFor({ kind: 'text', body: text }) }]
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
    return channel && !channelTakes(kind) ? { isDisabled: true, note: texts.channelsDoNotReceiveIt } : {};
  }
}
