import { Link } from 'wouter-preact';
import type { ConversationRecord } from '#core';
import { ActError, useAct } from '../../components/act.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { ToolAction } from '../../components/tool-action.js';
import { useQuery } from '../../data/query.js';
import { summaryOf } from '../inbox/content.js';
import type { Detail } from '../inbox/thread.js';
import { texts } from './detail-texts.js';

const NEWEST = 5;

interface ConversationProps {
  readonly conversation: ConversationRecord;
  readonly contact: string;
}

/** The conversation with a contact, its newest messages, and the journey that waits in it. */
export function Conversation({ conversation, contact }: ConversationProps) {
  const { uuid, state, unread, length, assigned_to: queue, state_reason: reason } = conversation;
  // Without other views: those of integrations would call their services.
  const { data, error, reload } = useQuery<Detail>(`/conversations/${uuid}?limit=${NEWEST}&views=journey`, [
    'message.',
    'journey.',
    'clock.',
    'state.',
  ]);
  const act = useAct();
  const { journey } = data?.views ?? {};
  const waiting = journey?.state === 'loaded' ? journey.data : null;
  return (
    <>
      <section aria-labelledby="contact-conversation">
        <div class="head">
          <h3 id="contact-conversation">{texts.conversation}</h3>
          <span>
            <Status tone={state === 'OPEN' ? 'ok' : 'neutral'}>{state === 'OPEN' ? texts.open : texts.closed}</Status>{' '}
            <Link href={`/inbox/${uuid}`}>{texts.countOfMessages(length, unread)}</Link>
          </span>
        </div>
        {queue && <p>{texts.queue(queue.name)}</p>}
        {reason !== '' && (
          <p class="quiet" dir="auto">
            {reason}
          </p>
        )}
        {data ? (
          <ul class="contact-messages">
            {data.messages.map((message) => (
              <li key={message.uuid}>
                <span aria-hidden="true">{message.type === 'system' ? '·' : message.direction === 'inbound' ? '←' : '→'}</span>
                <span class="unseen">{message.direction === 'inbound' ? texts.fromTheContact : texts.toTheContact}</span>
                <span class="grow" dir="auto">
                  {summaryOf(message).slice(0, 200)}
                </span>
                <Time at={message.recorded_at} />
              </li>
            ))}
          </ul>
        ) : error ? (
          <Failure error={error} retry={reload} />
        ) : (
          <Loading />
        )}
      </section>
      {journey && (
        <section aria-labelledby="contact-journey">
          <h3 id="contact-journey">{texts.journey}</h3>
          {journey.state === 'failed' ? (
            <p role="alert">{journey.reason}</p>
          ) : waiting ? (
            <div class="callout contact-waiting">
              <p>
                {texts.waitsAtCard(
                  <Link href={`/journeys/${waiting.session.journey}?tab=sessions`}>
                    <bdi>{waiting.name ?? waiting.session.journey}</bdi>
                  </Link>,
                  waiting.session.card,
                  <Time at={waiting.session.expires_at} />,
                )}
              </p>
              <ToolAction
                act={act}
                action={{ method: 'DELETE', path: `/contacts/${contact}/claim` }}
                label={texts.endWait}
                announcement={texts.waitEnded}
                confirm={{ title: texts.endWaitQuestion, text: texts.whatEndingDoes, verb: texts.endSession }}
                done={reload}
              />
              <ActError error={act.error} />
            </div>
          ) : (
            <p class="quiet">{texts.noJourneyWaits}</p>
          )}
        </section>
      )}
    </>
  );
}
