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

const TURNS = [
  ['text', 'Text'],
  ['buttons', 'Buttons'],
  ['list', 'List'],
  ['flow', 'Flow'],
  ['template', 'Template'],
  ['image', 'Image'],
  ['video', 'Video'],
  ['audio', 'Audio'],
  ['document', 'Document'],
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
      <p>
        Each button sends a message to one contact of the channel. Your connector should show it, and respond with its id of the message.
      </p>
      <fieldset class="samples">
        <legend class="unseen">Send a sample of</legend>
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
        <CopyAs action={actionOf(last)} label={`Copy “${last}” as`} />
      </fieldset>
      <ActError error={error} />
      <details class="more">
        <summary>Send to another contact</summary>
        <Field label="Id of the contact" value={to} set={setTo} note="The id that your connector gave the contact" />
      </details>
      {sample ? (
        sample.deliveries[0] === undefined ? (
          <p class="callout bad">No webhook receives the messages of this channel, so the sample was not delivered.</p>
        ) : (
          <SampleResult key={sample.deliveries[0]} turn={sample.turn} delivery={sample.deliveries[0]} message={sample.message} />
        )
      ) : (
        <p class="quiet">
          The delivered payload and the answer of the connector appear here. Links of media in samples cannot be downloaded.
        </p>
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
    announce(`The connector answered ${outcomeText(attempt)}`);
  }
  return (
    <section class="channel-part" aria-labelledby="sample">
      <div class="head">
        <h3 id="sample">Sample of “{turn}”</h3>
        <span class="buttons">
          <Link href={`/deliveries/${uuid}`}>Show the delivery</Link>
          <Link href={`/why?message=${message}`}>Explain the message</Link>
        </span>
      </div>
      <h4>Answer of the connector</h4>
      {attempt ? (
        <>
          <p class="buttons">
            <Status tone={toneOfAttempt(attempt)}>{outcomeText(attempt)}</Status>
            {attempt.duration_ms !== null && <span class="figure">{duration(attempt.duration_ms)}</span>}
            {delivery.state === 'retry_wait' && <span class="quiet">A retry follows.</span>}
          </p>
          {attempt.result !== 'delivered' && (
            <p class="callout bad" dir="auto">
              <FailureCause delivery={uuid} attempt={attempt} />
            </p>
          )}
          {attempt.result === 'delivered' && !hasId(attempt.response) && (
            <p class="callout">
              The response has no id in <code>messages[0].id</code>, so statuses and replies cannot be matched to the message.
            </p>
          )}
          {attempt.response !== null && attempt.response !== '' && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
            <section tabIndex={0} aria-label="Response">
              <pre dir="auto">{attempt.response}</pre>
            </section>
          )}
        </>
      ) : (
        <p role="status">Waiting for the connector…</p>
      )}
      <h4>Delivered payload</h4>
      <Payload body={body} />
    </section>
  );
}

function Payload({ body }: { body: string }) {
  try {
    return <JsonView value={JSON.parse(body)} label="Delivered payload" openDepth={9} />;
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
