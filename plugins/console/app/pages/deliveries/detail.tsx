import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { Bytes } from '../../components/bytes.js';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { JsonView } from '../../components/json-view.js';
import { SignatureCheck, type Signed } from '../../components/signature-check.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { Time } from '../../components/time.js';
import { hasWords, useFoundWords, useMarks } from '../../data/found-words.js';
import { useQuery } from '../../data/query.js';
import type { ShownWebhook } from '../../data/records.js';
import { DeliveryActions } from './actions.js';
import type Diff from './diff.js';
import { RequestView, ResponseView } from './exchange.js';
import type { AttemptRecord, DeliveryAnswer, DeliveryDetail, DeliveryRecord } from './records.js';
import { texts } from './texts.js';
import { nameOfAttempt, Timeline } from './timeline.js';
import { kindOfEvent, wordsOfState } from './words.js';

const EVENTS = ['delivery.', 'state.', 'webhook.', 'clock.'];

/** A delivery with its attempts. `back` closes it. */
export function Detail({ uuid, back }: { uuid: string; back: string }) {
  const { data, error, reload } = useQuery<DeliveryAnswer>(`/deliveries/${encodeURIComponent(uuid)}`, EVENTS);
  const webhook = useQuery<{ webhook: ShownWebhook }>(
    data && data.delivery.sender === undefined ? `/webhooks/${data.delivery.webhook}` : undefined,
    ['webhook.'],
  ).data?.webhook;
  const marked = useRef<HTMLElement>(null);
  useMarks(marked);
  return (
    <section ref={marked} class="detail delivery" aria-label={texts.delivery}>
      {data ? (
        <>
          <Head delivery={data.delivery} webhook={webhook} back={back} />
          <DeliveryActions shown={data} webhook={webhook} />
          <DeliveryTabs shown={data} />
        </>
      ) : (
        <>
          <Back href={back} />
          {error ? <Failure error={error} retry={reload} /> : <Loading />}
        </>
      )}
    </section>
  );
}

const Back = ({ href }: { href: string }) => (
  <Link href={href} class="button plain back">
    <Draw name="back" turns /> {texts.deliveries}
  </Link>
);

function Head({ delivery, webhook, back }: { delivery: DeliveryRecord; webhook: ShownWebhook | undefined; back: string }) {
  const { tone, text } = wordsOfState(delivery);
  const { uuid, message, conversation, lane, replay_of: replayOf, replay_url: replayUrl, sender } = delivery;
  return (
    <>
      <div class="detail-head">
        <Back href={back} />
        <h2>
          {kindOfEvent(delivery)} <span class="subscription">{delivery.subscription}</span>
        </h2>
        <Status tone={tone}>{text}</Status>
      </div>
      <dl class="facts">
        <dt>{replayUrl === undefined && sender === undefined ? texts.webhook : texts.target}</dt>
        <dd>
          {replayUrl !== undefined ? (
            <>
              <bdi class="mono">{replayUrl}</bdi> <span class="quiet">{texts.insteadOfWebhook}</span>
            </>
          ) : sender !== undefined ? (
            texts.sentBy(sender)
          ) : webhook ? (
            <>
              <Link href={`/webhooks/${webhook.uuid}`}>
                <bdi>{webhook.name}</bdi>
              </Link>{' '}
              <bdi class="mono">{webhook.url}</bdi>
            </>
          ) : (
            <span class="quiet">{texts.webhookWasDeleted}</span>
          )}
        </dd>
        <dt>{texts.delivery}</dt>
        <dd>
          <CopyText text={uuid} label={texts.idOfDelivery} />
        </dd>
        {message !== undefined && (
          <>
            <dt>{texts.message}</dt>
            <dd>
              <CopyText text={message} label={texts.idOfMessage} />{' '}
              {conversation !== undefined && <Link href={`/inbox/${conversation}?message=${message}`}>{texts.inbox}</Link>}{' '}
              <Link href={`/why?message=${message}`}>{texts.why}</Link>
            </dd>
          </>
        )}
        {replayOf !== undefined && (
          <>
            <dt>{texts.copyOf}</dt>
            <dd>
              <Link href={`/deliveries/${replayOf}`}>
                <span class="mono">{replayOf}</span>
              </Link>
            </dd>
          </>
        )}
        <dt>{texts.queued}</dt>
        <dd>
          <Time at={delivery.created_at} />
          {delivery.held_at !== undefined && webhook && (
            <>
              {' · '}
              <Link href={`/webhooks/${webhook.uuid}`}>{texts.webhookIsPaused}</Link>
            </>
          )}
        </dd>
        {lane !== undefined && (
          <>
            <dt title={texts.whatLanesDo}>{texts.lane}</dt>
            <dd title={texts.whatLanesDo}>
              {lane} <span class="quiet">{texts.isPriority}</span>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function DeliveryTabs({ shown }: { shown: DeliveryAnswer }) {
  const { delivery, body, attempts, details = [], retry_policy: policy, answer_fault: fault } = shown;
  const [params, setParams] = useSearchParams();
  const set = (changes: Readonly<Record<string, string>>): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const words = useFoundWords();
  const answered = attempts.findLast(({ response }) => hasWords(response ?? '', words));
  const withWords = hasWords(body, words) ? 'event' : answered ? 'response' : 'timeline';
  const attempt = attempts.find((one) => one.uuid === params.get('attempt')) ?? answered ?? attempts.at(-1);
  const detail = attempt ? details.find((one) => one.attempt === attempt.uuid) : details.at(-1);
  const chooser = attempts.length > 1 && attempt && (
    <AttemptChoice attempts={attempts} chosen={attempt} choose={(uuid) => set({ attempt: uuid })} />
  );
  return (
    <Tabs
      label={texts.delivery}
      current={params.get('tab') ?? withWords}
      select={(tab) => set({ tab })}
      tabs={[
        {
          id: 'timeline',
          label: texts.timeline,
          content: () => (
            <>
              {fault !== undefined && (
                <p class="callout bad" role="note">
                  {texts.acceptedBut(fault)}
                </p>
              )}
              <Timeline
                delivery={delivery}
                attempts={attempts}
                policy={policy}
                open={(one) => set({ tab: 'response', attempt: one.uuid })}
              />
            </>
          ),
        },
        {
          id: 'request',
          label: texts.request,
          content: () => (
            <>
              {chooser}
              <RequestView key={attempt?.uuid} shown={shown} attempt={attempt} detail={detail} />
            </>
          ),
        },
        {
          id: 'response',
          label: texts.response,
          content: () => (
            <>
              {chooser}
              <ResponseView key={attempt?.uuid} attempt={attempt} detail={detail} />
            </>
          ),
        },
        {
          id: 'signature',
          label: texts.signature,
          content: () => (
            <>
              {chooser}
              <DeliverySignature delivery={delivery} detail={detail} />
            </>
          ),
        },
        { id: 'event', label: texts.event, content: () => <Event delivery={delivery} body={body} /> },
        { id: 'diff', label: texts.diff, content: () => <LazyDiff attempts={attempts} details={details} /> },
      ]}
    />
  );
}

interface AttemptChoiceProps {
  readonly attempts: readonly AttemptRecord[];
  readonly chosen: AttemptRecord;
  readonly choose: (uuid: string) => void;
}

function AttemptChoice({ attempts, chosen, choose }: AttemptChoiceProps) {
  const id = useId();
  return (
    <div class="attempt-choice">
      <label for={id}>{texts.attempt}</label>
      <select id={id} class="select" value={chosen.uuid} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {attempts.map((one) => (
          <option key={one.uuid} value={one.uuid}>
            {nameOfAttempt(one, attempts)}: {outcomeText(one)}
          </option>
        ))}
      </select>
    </div>
  );
}

function DeliverySignature({ delivery, detail }: { delivery: DeliveryRecord; detail: DeliveryDetail | undefined }) {
  if (delivery.sender !== undefined) return <p class="quiet">{texts.notSigned}</p>;
  const body = detail?.request.body;
  // Links to media files change with each attempt, so the bytes that were sent are signed, and not those of the event.
  const isWhole = body && !body.cut && body.encoding === 'utf8';
  const signed: Signed = isWhole ? { webhook: delivery.webhook, body: body.content } : { delivery: delivery.uuid };
  const sent = detail?.signatures[0]?.signature ?? headerOf(detail);
  return (
    <>
      <SignatureCheck signed={signed} {...(sent !== undefined && isWhole && { sent })} />
      <p class="quiet">
        <Link href={`/signature/${delivery.uuid}`}>{texts.onItsOwnPage}</Link>
      </p>
    </>
  );
}

/** The signature of a delivery that keeps that of another body, whose details do not explain it. */
const headerOf = (detail: DeliveryDetail | undefined): string | undefined =>
  detail?.request.headers.find(([name]) => /-signature$/i.test(name!))?.[1];

function Event({ delivery, body }: { delivery: DeliveryRecord; body: string }) {
  const [isRaw, setRaw] = useState(false);
  const value = parsed(body);
  return (
    <div class="exchange">
      <dl class="facts">
        <dt>{texts.event}</dt>
        <dd>
          <CopyText text={delivery.event} label={texts.keyOfEvent} />
        </dd>
        {delivery.recipient !== undefined && (
          <>
            <dt>{texts.contact}</dt>
            <dd>
              <bdi>{delivery.recipient}</bdi>
            </dd>
          </>
        )}
      </dl>
      {value !== undefined && (
        <div>
          <button type="button" class="button plain" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {texts.bytes}
          </button>
        </div>
      )}
      {value === undefined || isRaw ? (
        <Bytes body={{ bytes: new TextEncoder().encode(body).length, encoding: 'utf8', content: body, cut: false }} label={texts.body} />
      ) : (
        <JsonView value={value} label={texts.bodyOfTheEvent} />
      )}
    </div>
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The comparison of texts is loaded with the first use of its tab. */
function LazyDiff(props: Parameters<typeof Diff>[0]) {
  const [Loaded, setLoaded] = useState<{ readonly Diff: typeof Diff } | undefined>(undefined);
  const [isFailed, setFailed] = useState(false);
  const load = (): void => {
    setFailed(false);
    import('./diff.js').then(
      (module) => setLoaded({ Diff: module.default }),
      () => setFailed(true),
    );
  };
  useEffect(load, []);
  if (Loaded) return <Loaded.Diff {...props} />;
  return isFailed ? <Failure error={{ message: texts.partNotLoaded }} retry={load} /> : <Loading />;
}
