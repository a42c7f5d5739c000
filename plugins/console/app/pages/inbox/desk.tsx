import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { ConversationRecord, MessageRecord, NumberRecord } from '#core';
import { ActError, useAct } from '../../components/act.js';
import { type Action, CopyText } from '../../components/copy.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Loading, Status } from '../../components/status.js';
import { ToolAction } from '../../components/tool-action.js';
import { ToolButton } from '../../components/tool-button.js';
import { announce } from '../../data/announce.js';
import { useKept } from '../../data/kept.js';
import { PluginPanels } from '../../frame/plugin-panels.js';
import { nameOf } from './content.js';
import { DeskComposer } from './desk-composer.js';
import { texts } from './desk-texts.js';
import { useSecondsUntil } from './platform-clock.js';
import { useThread, type Waiting } from './thread.js';

const DeskExtras = lazyPart(() => import('./desk-extras.js'));

interface DeskProps {
  readonly conversation: string;
  readonly numbers: readonly NumberRecord[];
  readonly quoted: MessageRecord | undefined;
  readonly setQuoted: (message: MessageRecord | undefined) => void;
}

/** The operator's side of a conversation: its state, the context of integrations, and the reply. */
export function Desk({ conversation: uuid, numbers, quoted, setQuoted }: DeskProps) {
  const thread = useThread(uuid);
  const detail = thread.detail.value;
  const [text, setText] = useKept(`desk ${uuid} text`, '');
  const act = useAct();
  if (!detail) return thread.error.value ? null : <Loading />;
  const { conversation, contact, ids, views } = detail;
  const number = numbers.find((one) => one.uuid === conversation.number);
  const lastInbound = thread.messages.value.findLast(({ direction }) => direction === 'inbound');
  const waiting = views.journey?.state === 'loaded' ? views.journey.data : null;
  const attempt = async (action: Action, announcement: string): Promise<void> => {
    if ((await act.run(action)) === undefined) return;
    announce(announcement);
    await thread.reload();
  };
  // A text that the user has begun to write stays.
  const apply = (suggestion: string): void => setText(text.trim() === '' ? suggestion : `${text}\n${suggestion}`);
  const markRead: Action = { method: 'PUT', path: `/messages/${lastInbound?.uuid}`, payload: { status: 'read' } };
  const showTyping: Action = { ...markRead, payload: { status: 'read', typing_indicator: { type: 'text' } } };
  const takeOver: Action = { method: 'DELETE', path: `/contacts/${contact.uuid}/claim` };
  return (
    <section class="desk" aria-label={texts.desk}>
      <div class="desk-scroll">
        <div class="head">
          <h2 dir="auto">
            <Link href={`/contacts/${contact.uuid}`}>{nameOf(contact)}</Link>
          </h2>
          <Status tone={conversation.state === 'OPEN' ? 'ok' : 'neutral'}>
            {conversation.state === 'OPEN' ? texts.open : texts.closed}
          </Status>
        </div>
        {Object.values(contact.blocked ?? {}).map((block) => (
          <Status tone="bad">{texts.blocked(block?.reason)}</Status>
        ))}
        <dl class="facts">
          <dt>{texts.contact}</dt>
          <dd class="ids">
            {ids.map((id, i) => (
              <CopyText key={id} text={id} label={i === 0 ? texts.theIdOfTheContact : texts.anotherIdOfTheContact} />
            ))}
          </dd>
          <dt>{texts.conversation}</dt>
          <dd>
            <CopyText text={uuid} label={texts.theIdOfTheConversation} shown={`${uuid.slice(0, 8)}…`} />
          </dd>
          {number && (
            <>
              <dt>{texts.number}</dt>
              <dd>
                <Link href={`/numbers/${number.uuid}`}>
                  <bdi>{number.name}</bdi>
                </Link>
              </dd>
            </>
          )}
          <dt>{texts.assignedTo}</dt>
          <dd dir="auto">
            {waiting
              ? texts.journey(waiting.name ?? waiting.session.journey)
              : conversation.assigned_to
                ? texts.queue(conversation.assigned_to.name)
                : texts.theDesk}
          </dd>
          {conversation.state_reason !== '' && (
            <>
              <dt>{texts.reason}</dt>
              <dd dir="auto">{reasonFor(conversation, nameOf(contact))}</dd>
            </>
          )}
        </dl>
        {waiting && (
          <Claim waiting={waiting}>
            <ToolAction
              act={act}
              action={takeOver}
              label={texts.takeOver}
              announcement={texts.theJourneyNoLongerWaits}
              confirm={{ title: texts.askTakeOver, text: texts.whatTakingOverDoes, verb: texts.endItsSession }}
              done={() => void thread.reload()}
            />
          </Claim>
        )}
        <div class="buttons">
          {lastInbound && (
            <>
              <ToolButton
                label={texts.markAsRead}
                action={markRead}
                isDisabled={lastInbound.read_at !== undefined}
                onClick={() => void attempt(markRead, texts.markedAsRead)}
              >
                {lastInbound.read_at === undefined ? texts.markAsRead : texts.read}
              </ToolButton>
              <ToolButton
                label={texts.showTyping}
                action={showTyping}
                onClick={() => void attempt(showTyping, texts.theContactSeesYouTyping)}
              />
            </>
          )}
        </div>
        <ActError error={act.error} />
        <DeskExtras {...{ conversation, contact, number, thread, apply, view: views.integrations }} />
        <PluginPanels kind="conversation" uuid={uuid} />
      </div>
      {number && <DeskComposer {...{ number, conversation: uuid, text, setText, quoted, setQuoted }} />}
    </section>
  );
}

/** Why the conversation has its state: a reason of the platform as a sentence about the contact, others as they were given. */
function reasonFor({ state_reason: reason }: ConversationRecord, name: string): string {
  const opened = /^(Opened|Re-opened) by (inbound|outbound) message\.$/.exec(reason);
  return opened ? texts.openedBecause(opened[1] === 'Re-opened', opened[2] === 'inbound', name) : reason;
}

/** A journey that waits for the contact, how long it still waits, and the way to take over from it. */
function Claim({ waiting: { name, session }, children }: { waiting: Waiting; children: ComponentChildren }) {
  const seconds = useSecondsUntil(session.expires_at);
  return (
    <div class="callout claim">
      <p>
        {texts.journeyWaitsAtCard(
          <Link href={`/journeys/${session.journey}`}>
            <bdi>{name ?? session.journey}</bdi>
          </Link>,
          session.card,
        )}
      </p>
      <div class="buttons">
        <span>
          {texts.timesOutIn(
            <strong class="countdown">
              {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
            </strong>,
          )}
        </span>
        {children}
      </div>
    </div>
  );
}
