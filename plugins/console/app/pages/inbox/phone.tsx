import { useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { MessageRecord, NumberRecord } from '#core';
import { lazyPart } from '../../components/lazy-part.js';
import { Empty, Failure, Loading } from '../../components/status.js';
import { admin, type CallFailed, reasonOf } from '../../data/admin.js';
import { useKept } from '../../data/kept.js';
import type { BubbleActions } from './bubble.js';
import { Bubbles } from './bubbles.js';
import { Quoted } from './composer-parts.js';
import { actionOf, type Draft, type Posting, post, postingOf, senderOf, whyNotWritten } from './contact-messages.js';
import { nameOf } from './content.js';
import { PhoneComposer } from './phone-composer.js';
import { StatusPolicy } from './status-policy.js';
import { texts } from './texts.js';
import { useThread } from './thread.js';

const OptionSheet = lazyPart(() => import('./option-sheet.js'));
const MessageSheet = lazyPart(() => import('./message-sheet.js'));

interface PhoneProps {
  readonly conversation: string;
  readonly numbers: readonly NumberRecord[];
  /** Whether the desk shows this conversation. */
  readonly isSelected: boolean;
  /** The message that is shown first and marked, by its uuid. */
  readonly found: string | undefined;
  /** Present if the phone is open beside the selected one. */
  readonly close?: (() => void) | undefined;
  readonly select: () => void;
  /** Lets the desk quote a message in its reply. */
  readonly quoteAtDesk: (message: MessageRecord) => void;
}

/** The phone of a contact: writes, taps, reacts and completes forms as the contact, and shows what the contact sees. */
export function Phone({ conversation, numbers, isSelected, found, close, select, quoteAtDesk }: PhoneProps) {
  const thread = useThread(conversation);
  const detail = thread.detail.value;
  const [quoted, setQuoted] = useKept<MessageRecord | undefined>(`phone ${conversation} quoted`, undefined);
  const [question, setQuestion] = useState<MessageRecord>();
  const [opened, setOpened] = useState<MessageRecord>();
  const [problem, setProblem] = useState<string>();
  const contact = detail?.contact;
  const number = numbers.find(({ uuid }) => uuid === detail?.conversation.number);

  const send = (draft: Draft, quote?: MessageRecord): Promise<boolean> =>
    contact && number ? dispatch(postingOf(number, senderOf(contact), draft, quote)) : Promise.resolve(false);
  const dispatch = async (posting: Posting): Promise<boolean> => {
    setProblem(undefined);
    try {
      await post(posting);
      setQuoted(undefined);
      return true;
    } catch (error) {
      setProblem(reasonOf(error));
      return false;
    }
  };
  const openForm = async (message: MessageRecord): Promise<void> => {
    // Opened before the call, because browsers allow new tabs only as a response to a click.
    const tab = window.open('about:blank');
    try {
      const { url } = await admin<{ url: string }>('POST', `/messages/${message.uuid}/flow`);
      if (!tab) return setProblem(texts.theBrowserDidNotAllow);
      tab.opener = null;
      tab.location.href = url;
    } catch (error) {
      tab?.close();
      setProblem(reasonOf(error));
    }
  };
  const actions: BubbleActions = useMemo(
    () => ({
      tap: (asked, option) => void send({ kind: 'tap', option, question: asked }),
      openList: setQuestion,
      openForm: (message) => void openForm(message),
      reply: setQuoted,
      showDetails: setOpened,
    }),
    [contact?.uuid, number?.uuid],
  );

  if (thread.error.value && !detail) return <Failed error={thread.error.value} retry={() => void thread.reload()} close={close} />;
  if (!detail || !contact || !number) return <Loading />;
  const name = nameOf(contact);
  const why = whyNotWritten(number);
  const canPlay = why === undefined;
  const actionFor = (draft: Draft, quote?: MessageRecord) => actionOf(postingOf(number, senderOf(contact), draft, quote));
  return (
    <section class={`phone ${isSelected ? 'is-selected' : ''}`} aria-label={texts.phoneOf(name)}>
      <header class="phone-head">
        <button type="button" class="phone-name" aria-pressed={isSelected} onClick={select} title={texts.showThisContactAtThe}>
          <strong dir="auto">{name}</strong>
          <small>
            <bdi>{contact.address}</bdi> → <bdi>{number.name}</bdi>
          </small>
        </button>
        {canPlay && <StatusPolicy number={number} />}
        {close && (
          <button type="button" class="round" aria-label={texts.closeThePhoneOf(name)} onClick={close}>
            ✕
          </button>
        )}
      </header>
      <Bubbles thread={thread} name={name} found={found} isPlayable={canPlay} actions={actions} />
      {thread.error.value && (
        <p class="problem" role="alert">
          {thread.error.value.message}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert" dir="auto">
          {problem} <Link href={`/calls?number=${number.uuid}`}>{texts.calls}</Link>
        </p>
      )}
      {quoted && <Quoted message={quoted} remove={() => setQuoted(undefined)} />}
      {canPlay ? (
        <PhoneComposer
          conversation={conversation}
          name={name}
          number={number}
          actionFor={(draft) => actionFor(draft, quoted)}
          send={(draft) => send(draft, quoted)}
          fail={setProblem}
        />
      ) : (
        <p class="quiet replying">{why}</p>
      )}
      {question && (
        <OptionSheet
          question={question}
          number={number}
          sender={senderOf(contact)}
          close={() => setQuestion(undefined)}
          choose={(posting) => {
            setQuestion(undefined);
            void dispatch(posting);
          }}
        />
      )}
      {opened && (
        <MessageSheet
          message={thread.messages.value.find(({ uuid }) => uuid === opened.uuid) ?? opened}
          number={number}
          sender={senderOf(contact)}
          close={() => setOpened(undefined)}
          react={canPlay ? (emoji: string) => send({ kind: 'reaction', target: opened, emoji }) : undefined}
          reactionFor={(emoji: string) => actionFor({ kind: 'reaction', target: opened, emoji })}
          quoteAtDesk={() => {
            setOpened(undefined);
            quoteAtDesk(opened);
          }}
        />
      )}
    </section>
  );
}

const Failed = ({ error, retry, close }: { error: CallFailed; retry: () => void; close: (() => void) | undefined }) =>
  error.status === 404 ? (
    <Empty title={texts.thereIsNoSuchConversation}>
      <p>{texts.itMayHaveBeenRemoved}</p>
      {close && (
        <button type="button" class="button outlined" onClick={close}>
          {texts.closeThisPhone}
        </button>
      )}
    </Empty>
  ) : (
    <Failure error={error} retry={retry} />
  );
