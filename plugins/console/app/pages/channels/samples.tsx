import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { ActError, Field, useAct } from '../../components/act.js';
import { type Action, CopyAs } from '../../components/copy.js';
import FailureCause from '../../components/failure-cause.js';
import { JsonView } from '../../components/json-view.js';
import { toneOfAttempt } from '../../components/outcome.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { duration } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { ShownChannel } from '../../data/records.js';
import type { DeliveryAnswer } from '../deliveries/records.js';
import { texts } from './texts.js';

const TURNS = [
  ['text', texts.turnText],
  ['buttons', texts.turnButtons],
  ['list', texts.turnList],
  ['flow', texts.turnFlow],
  ['template', texts.turnTemplate],
  ['image', texts.turnImage],
  ['video', texts.turnVideo],
  ['audio', texts.turnAudio],
  ['document', texts.turnDocument],
] as const;

interface Sample {
  readonly turn: string;
  readonly message: string;
  readonly deliveries: readonly string[];
}

/** Sends a sample of each kind of turn to the connector, and shows the payload and the response. */
export function Samples({ channel: { number } }: { channel: ShownChannel }) {
  const [to, setTo] = useState('sample');
  const [sample, setSample] = useState<Sample | undefined>(undefined);
  const [last, setLast] = useState('text');
  const { isBusy, error, run } = useAct();
  const actionOf = (turn: string): Action => ({
    method: 'POST',
    path: `/channels/${number.uuid}/samples`,
    payload: { turn, ...(to !== 'sample' && to !== '' && { to }) },
  });
  const send = async (turn: string): Promise<void> => {
    setLast(turn);
    const sent = await run<Omit<Sample, 'turn'>>(actionOf(turn));
    if (sent) setSample({ turn, ...sent });
  };
  return (
    <div class="channel-part">
      <p>{texts.eachButtonSendsAMessage}</p>
      <fieldset class="samples">
        <legend class="unseen">{texts.sendASampleOf}</legend>
        {TURNS.map(([turn, label]) => (
          <button
            key={turn}
            type="button"
            class="button outlined"
            aria-pressed={sample?.turn === turn}
            {...controlOf(actionOf(turn), isBusy)}
            onClick={() => void send(turn)}
          >
            {label}
          </button>
        ))}
        <CopyAs isAlone action={actionOf(last)} label={texts.copyAs(last)} />
      </fieldset>
      <ActError error={error} />
      <details class="more">
        <summary>{texts.sendToAnotherContact}</summary>
        <Field label={texts.idOfTheContact} value={to} set={setTo} note={texts.theIdThatYourConnector} />
      </details>
      {sample ? (
        sample.deliveries[0] === undefined ? (
          <p class="callout bad">{texts.noWebhookReceivesThe3}</p>
        ) : (
          <SampleResult key={sample.deliveries[0]} turn={sample.turn} delivery={sample.deliveries[0]} message={sample.message} />
        )
      ) : (
        <p class="quiet">{texts.theDeliveredPayloadAndThe}</p>
      )}
    </div>
  );
}

function SampleResult({ turn, delivery: uuid, message }: { turn: string; delivery: string; message: string }) {
  const { data, error, reload } = useQuery<DeliveryAnswer>(`/deliveries/${uuid}`, ['delivery.']);
  const [isAnnounced, setAnnounced] = useState(false);
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { delivery, body, attempts } = data;
  const attempt = attempts.at(-1);
  if (attempt && !isAnnounced) {
    setAnnounced(true);
    announce(texts.theConnectorAnswered(outcomeText(attempt)));
  }
  return (
    <section class="channel-part" aria-labelledby="sample">
      <div class="head">
        <h3 id="sample">{texts.sampleOf(turn)}</h3>
        <span class="buttons">
          <Link href={`/deliveries/${uuid}`}>{texts.showTheDelivery}</Link>
          <Link href={`/why?message=${message}`}>{texts.explainTheMessage}</Link>
        </span>
      </div>
      <h4>{texts.answerOfTheConnector}</h4>
      {attempt ? (
        <>
          <p class="buttons">
            <Status tone={toneOfAttempt(attempt)}>{outcomeText(attempt)}</Status>
            {attempt.duration_ms !== null && <span class="figure">{duration(attempt.duration_ms)}</span>}
            {delivery.state === 'retry_wait' && <span class="quiet">{texts.aRetryFollows}</span>}
          </p>
          {attempt.result !== 'delivered' && (
            <p class="callout bad" dir="auto">
              <FailureCause delivery={uuid} attempt={attempt} />
            </p>
          )}
          {attempt.result === 'delivered' && !hasId(attempt.response) && <p class="callout">{texts.theResponseHasNoId()}</p>}
          {attempt.response !== null && attempt.response !== '' && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
            <section tabIndex={0} aria-label={texts.response}>
              <pre dir="auto">{attempt.response}</pre>
            </section>
          )}
        </>
      ) : (
        <p role="status">{texts.waitingForTheConnector}</p>
      )}
      <h4>{texts.deliveredPayload}</h4>
      <Payload body={body} />
    </section>
  );
}

function Payload({ body }: { body: string }) {
  try {
    return <JsonView value={JSON.parse(body)} label={texts.deliveredPayload} openDepth={9} />;
  } catch {
    return <pre>{body}</pre>;
  }
}

function hasId(response: string | null): boolean {
  try {
    const id = JSON.parse(response ?? '')?.messages?.[0]?.id;
    return typeof id === 'string' && id !== '';
  } catch {
    return false;
  }
}
