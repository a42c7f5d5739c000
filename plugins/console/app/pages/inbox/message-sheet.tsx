import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { DeliveryRecord, MessageRecord, NumberRecord } from '#core';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { Sheet } from '../../../../../core/web/sheet.js';
import { type Action, CopyAs, CopyButton, CopyText } from '../../components/copy.js';
import { JsonView } from '../../components/json-view.js';
import { Scrolled } from '../../components/scrolled.js';
import { Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { wordsOfState } from '../deliveries/words.js';
import type { Sender } from './contact-messages.js';
import { contentOf, idOf } from './content.js';
import { texts } from './dialog-texts.js';
import { postingFor } from './posting-of-record.js';
import { PostingView } from './posting-view.js';
import { StatusReports } from './status-reports.js';

const EMOJIS = ['👍', '❤️', '😂', '😮', '🙏'];

interface MessageSheetProps {
  readonly message: MessageRecord;
  readonly number: NumberRecord;
  readonly sender: Sender;
  readonly close: () => void;
  /** Reacts as the contact; an empty emoji removes the reaction. */
  readonly react: ((emoji: string) => Promise<boolean>) | undefined;
  readonly reactionFor: (emoji: string) => Action;
  readonly quoteAtDesk: () => void;
}

/** Everything about one message: what was posted for it, what each receiver got, its statuses, and its record. */
export default function MessageSheet({ message, number, sender, close, react, reactionFor, quoteAtDesk }: MessageSheetProps) {
  const { data, error, reload } = useQuery<{ deliveries: readonly DeliveryRecord[] }>(`/deliveries?message=${message.uuid}`, ['delivery.']);
  const isInbound = message.direction === 'inbound';
  const [tab, setTab] = useState(isInbound ? 'posted' : 'received');
  const tabs = [
    ...(isInbound ? [{ id: 'posted', label: texts.posted, content: () => <Posted {...{ message, number, sender }} /> }] : []),
    {
      id: 'received',
      label: isInbound ? texts.deliveredToWebhooks : texts.delivered,
      content: () =>
        error ? (
          <Failure error={error} retry={reload} />
        ) : data ? (
          <Deliveries deliveries={data.deliveries} isInbound={isInbound} />
        ) : (
          <Loading />
        ),
    },
    ...(isInbound ? [] : [{ id: 'statuses', label: texts.statuses, content: () => <StatusReports message={message} number={number} /> }]),
    { id: 'block', label: isInbound ? texts.message : texts.block, content: () => <Block message={message} /> },
    { id: 'record', label: texts.record, content: () => <JsonView value={message} label={texts.recordOfTheMessage} /> },
  ];
  return (
    <Sheet title={isInbound ? texts.messageFromTheContact : texts.messageToTheContact} close={close} look="drawer">
      <div class="message-sheet">
        <p class="buttons">
          <CopyText text={idOf(message)} label={texts.theId} />
          <Link href={`/why?message=${message.uuid}`}>{texts.why}</Link>
          <Link href={`/events?q=${message.uuid}`}>{texts.events}</Link>
          {contentOf(message).interactive?.type === 'flow' && (
            <CopyAs action={{ method: 'POST', path: `/messages/${message.uuid}/flow` }} label={texts.copyOpenTheFormAs} />
          )}
        </p>
        <div class="buttons">
          <button type="button" class="button outlined" onClick={quoteAtDesk}>
            {texts.quoteAtTheDesk}
          </button>
          {react && number.type !== 'channel_http_api' && (
            <fieldset class="buttons emojis">
              <legend class="unseen">{texts.reactAsTheContact}</legend>
              {EMOJIS.map((emoji) => (
                <button
                  key={emoji}
                  type="button"
                  class="button plain"
                  aria-label={texts.reactWith(emoji)}
                  onClick={() => void react(emoji)}
                >
                  {emoji}
                </button>
              ))}
              <button type="button" class="button plain" onClick={() => void react('')}>
                {texts.noReaction}
              </button>
              <CopyAs isAlone action={reactionFor(EMOJIS[0]!)} label={texts.copyAs2(EMOJIS[0])} />
            </fieldset>
          )}
        </div>
        <Tabs label={texts.partsOfTheMessage} tabs={tabs} current={tab} select={setTab} />
      </div>
    </Sheet>
  );
}

function Posted({ message, number, sender }: { message: MessageRecord; number: NumberRecord; sender: Sender }) {
  const { posting, isExact } = postingFor(message, number, sender);
  return (
    <>
      <PostingView posting={posting} />
      <p class="quiet">{isExact ? texts.exactlyWhatThisConsole : texts.madeFromTheRecordOf}</p>
    </>
  );
}

/** The content under the key that is its type, as webhooks, connectors and journeys see it. */
function Block({ message }: { message: MessageRecord }) {
  const text = JSON.stringify({ type: message.type, ...message.content }, null, 2);
  return (
    <div class="posting">
      <Scrolled label={texts.contentOfTheMessage} dir="ltr">
        {text}
      </Scrolled>
      <CopyButton text={text} label={texts.theContent} />
    </div>
  );
}

function Deliveries({ deliveries, isInbound }: { deliveries: readonly DeliveryRecord[]; isInbound: boolean }) {
  if (deliveries.length === 0) return <p class="quiet">{isInbound ? texts.noWebhookOfThisNumber : texts.notDeliveredOverHttpThe}</p>;
  return (
    <div class="form">
      {[...deliveries]
        .sort((a, b) => Number(b.kind === 'channel') - Number(a.kind === 'channel'))
        .map((delivery) => (
          <Delivered key={delivery.uuid} delivery={delivery} />
        ))}
    </div>
  );
}

interface Shown {
  readonly body: string;
  readonly attempts: readonly {
    readonly status: number;
    readonly no_response: string | null;
    readonly response: string | null;
    readonly error: string | null;
    readonly started_at: string;
  }[];
}

function Delivered({ delivery }: { delivery: DeliveryRecord }) {
  const { data, error, reload } = useQuery<Shown>(`/deliveries/${delivery.uuid}`, ['delivery.']);
  const last = data?.attempts.at(-1);
  const { tone, text } = wordsOfState(delivery);
  return (
    <section class="card">
      <div class="head">
        <h3>{delivery.kind === 'channel' ? texts.connector : texts.webhook(delivery.subscription)}</h3>
        <Link href={`/deliveries/${delivery.uuid}`}>{texts.delivery}</Link>
      </div>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <p>
            <Status tone={tone}>{text}</Status>{' '}
            {last && (
              <>
                <Status tone={toneOfHttp(last.status)}>{outcomeText(last)}</Status> <Time at={last.started_at} />
              </>
            )}
          </p>
          <Scrolled label={texts.bodyOfTheDelivery} dir="ltr">
            {pretty(data.body)}
          </Scrolled>
          {last && (last.response ?? last.error) && (
            <>
              <h4>{texts.response}</h4>
              <Scrolled label={texts.response} dir="ltr">
                {pretty(last.response ?? last.error ?? '')}
              </Scrolled>
            </>
          )}
        </>
      )}
    </section>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
