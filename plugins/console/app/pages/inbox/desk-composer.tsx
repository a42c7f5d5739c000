import { type Dispatch, type StateUpdater, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { MessageRecord, NumberRecord } from '#core';
import { type Action, CopyAs, perform } from '../../components/copy.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Menu } from '../../components/menu.js';
import { reasonOf } from '../../data/admin.js';
import { useKept } from '../../data/kept.js';
import { controlOf } from '../../data/operator.js';
import { FilePicker, Quoted } from './composer-parts.js';
import { fileActions, isChannel, kindOf, notUploaded, type Uploaded } from './contact-messages.js';
import { idOf } from './content.js';
import { texts } from './desk-texts.js';
import type { ReplyKind } from './reply-sheet.js';
import { useSubmit } from './use-submit.js';

const ChosenFile = lazyPart(() => import('./chosen-file.js'));
const CopySheet = lazyPart(() => import('../../components/copy-sheet.js'));
const ReplySheet = lazyPart(() => import('./reply-sheet.js'));

const OPERATOR = { id: 'console', name: 'Desk' };

interface DeskComposerProps {
  readonly number: NumberRecord;
  readonly conversation: string;
  readonly text: string;
  readonly setText: Dispatch<StateUpdater<string>>;
  readonly quoted: MessageRecord | undefined;
  readonly setQuoted: (message: MessageRecord | undefined) => void;
}

/** The reply of an operator: a text, a file, or any other kind of message. */
export function DeskComposer({ number, conversation, text, setText, quoted, setQuoted }: DeskComposerProps) {
  const [file, setFile] = useKept<File | undefined>(`desk ${conversation} file`, undefined);
  const [kind, setKind] = useState<ReplyKind>();
  const [problem, setProblem] = useState<string>();
  const [isCopying, setCopying] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const actionFor = (content: object): Action => ({
    method: 'POST',
    path: `/conversations/${conversation}/messages`,
    payload: { operator: OPERATOR, ...content, ...(quoted && { in_reply_to: idOf(quoted) }) },
  });
  const send = async (content: object): Promise<boolean> => {
    setProblem(undefined);
    try {
      await perform(actionFor(content));
      setQuoted(undefined);
      return true;
    } catch (error) {
      setProblem(reasonOf(error));
      return false;
    }
  };
  const fileContent = (chosen: File, body: string, { media }: Uploaded): object => {
    const type = kindOf(chosen) === 'sticker' && isChannel(number) ? 'document' : kindOf(chosen);
    const caption = body.trim() !== '' && type !== 'audio' && type !== 'sticker' && { caption: body };
    return { type, [type]: { id: media.id, ...caption, ...(type === 'document' && { filename: chosen.name }) } };
  };
  const { isSending, onSubmit, onKeyDown } = useSubmit({
    number,
    text,
    setText,
    file,
    setFile,
    fail: setProblem,
    send: (body, sent) => send(sent ? fileContent(sent.chosen, body, sent.uploaded) : { type: 'text', text: { body } }),
  });
  const ask = (asked: ReplyKind) => () => {
    setProblem(undefined);
    setKind(asked);
  };
  return (
    <form class="composer desk-composer" onSubmit={onSubmit}>
      <FilePicker picker={picker} choose={setFile} />
      {problem !== undefined && kind === undefined && (
        <p class="problem" role="alert" dir="auto">
          {problem} <Link href="/advice">{texts.advice}</Link>
        </p>
      )}
      {quoted && <Quoted message={quoted} remove={() => setQuoted(undefined)} />}
      {file && <ChosenFile file={file} remove={() => setFile(undefined)} />}
      <textarea
        class="input"
        rows={3}
        dir="auto"
        aria-label={file ? texts.captionOfTheReply : texts.reply}
        placeholder={file ? texts.caption : texts.replyAsTheDesk}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-line">
        <Menu
          items={[
            { id: 'file', label: texts.file, note: texts.imageAudioVideoDocument, select: () => picker.current!.click() },
            { id: 'buttons', label: texts.buttons, select: ask('buttons') },
            { id: 'list', label: texts.list, select: ask('list') },
            { id: 'flow', label: texts.formFlow, select: ask('flow') },
            { id: 'template', label: texts.template2, select: ask('template') },
            ...(isChannel(number)
              ? []
              : [
                  { id: 'location', label: texts.location2, select: ask('location') },
                  { id: 'contacts', label: texts.contactCard2, select: ask('contacts') },
                  { id: 'reaction', label: texts.reactionToTheQuotedMessage, isDisabled: !quoted, select: ask('reaction') },
                ]),
            { id: 'json', label: texts.anyMessageAsJson, select: ask('json') },
          ]}
        >
          {texts.other}
        </Menu>
        <span class="buttons">
          <button type="submit" class="button" {...controlOf(actionFor({}), isSending)}>
            {texts.send}
          </button>
          {file ? (
            <button type="button" class="button plain" onClick={() => setCopying(true)}>
              {texts.copyAs}
            </button>
          ) : (
            <CopyAs action={actionFor({ type: 'text', text: { body: text } })} />
          )}
        </span>
      </div>
      {isCopying && file && (
        <CopySheet
          title={texts.copyTheReply}
          actions={fileActions(number, file, actionFor(fileContent(file, text, notUploaded(file))))}
          close={() => setCopying(false)}
        />
      )}
      {kind && (
        <ReplySheet
          kind={kind}
          number={number}
          quoted={quoted}
          problem={problem}
          close={() => {
            setKind(undefined);
            setProblem(undefined);
          }}
          actionFor={actionFor}
          send={async (content: object) => {
            if (await send(content)) setKind(undefined);
          }}
        />
      )}
    </form>
  );
}
