import { useEffect } from 'preact/hooks';
import { ActButton } from '../../components/act.js';
import { CopyText } from '../../components/copy.js';
import { EndpointFacts } from '../../components/endpoint-health.js';
import { Failure, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import type { Endpoint } from '../../data/endpoints.js';
import { useQuery } from '../../data/query.js';
import type { Connection, NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

/** No event says that receiving failed. */
const RELOAD_MS = 10_000;

/** The connection of a number to its service: whether it sends and receives, and what an operator can do. */
export function ConnectionOf({ number, endpoint }: { number: NumberRecord; endpoint: Endpoint | undefined }) {
  const { uuid, type } = number;
  const types = useQuery<{ types: readonly { type: string }[] }>('/connections/types');
  const { data, error, reload } = useQuery<{ connections: readonly Connection[] }>(`/connections?type=${encodeURIComponent(type)}`, [
    'connection.',
    'state.',
  ]);
  useEffect(() => {
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [uuid]);
  const connection = data?.connections.find((one) => one.number.uuid === uuid);
  const isConnectable = types.data?.types.some((one) => one.type === type);
  if (!connection && !isConnectable && !error) return null;
  return (
    <section class="part" aria-labelledby="connection">
      <h3 id="connection">{texts.connection}</h3>
      {error && <Failure error={error} retry={reload} />}
      {data && !connection && <p class="quiet">{texts.theNumberIsNotConnected(type)}</p>}
      {connection && <About connection={connection} endpoint={endpoint} reload={reload} />}
    </section>
  );
}

/** A number on the Cloud API: how its calls go, and why nothing is sent while it is stopped. */
export function CloudConnection({ number, endpoint, stopped, reload }: CloudProps) {
  return (
    <section class="part" aria-labelledby="connection">
      <h3 id="connection">{texts.connection}</h3>
      {stopped && (
        <div class="callout bad" role="status">
          <p>{texts.nothingIsSent(<Time at={stopped.at} />, stopped.title, stopped.code)}</p>
          <ActButton
            look="button outlined"
            action={{ method: 'POST', path: `/cloud-api/numbers/${number.uuid}/resume` }}
            announcement={texts.theNumberSendsAgain}
            done={reload}
          >
            {texts.resume}
          </ActButton>
        </div>
      )}
      <dl class="facts">
        <EndpointFacts endpoint={endpoint} />
      </dl>
    </section>
  );
}

interface CloudProps {
  readonly number: NumberRecord;
  readonly endpoint: Endpoint | undefined;
  readonly stopped: Connection['stopped'];
  readonly reload: () => void;
}

/** Whether a connected number sends and receives, in two words. */
export function StateOfConnection({ connection: { stopped, receiving } }: { connection: Connection }) {
  if (stopped) return <Status tone="bad">{texts.stopped}</Status>;
  if (receiving && receiving.failures > 0) return <Status tone="warn">{texts.receivingFails}</Status>;
  return <Status tone="ok">{texts.connected}</Status>;
}

interface AboutProps {
  readonly connection: Connection;
  readonly endpoint: Endpoint | undefined;
  readonly reload: () => void;
}

function About({ connection, endpoint, reload }: AboutProps) {
  const { number, stopped, receiving, connected_at: connectedAt, settings, details } = connection;
  return (
    <>
      {stopped && (
        <p class="callout bad" role="status">
          {texts.nothingIsSentOrReceived(<Time at={stopped.at} />, stopped.title, stopped.code)}
        </p>
      )}
      <dl class="facts">
        <dt>{texts.state}</dt>
        <dd>
          <StateOfConnection connection={connection} />
        </dd>
        <dt>{texts.receiving}</dt>
        <dd>
          <Receiving connection={connection} />
        </dd>
        <EndpointFacts endpoint={endpoint} since={connectedAt} />
        {receiving?.last_error && (
          <>
            <dt>{texts.lastErrorOfReceiving}</dt>
            <dd>
              <bdi>{receiving.last_error}</bdi>
            </dd>
          </>
        )}
        <dt>{texts.connected2}</dt>
        <dd>
          <Time at={connectedAt} />
        </dd>
        {Object.entries({ ...settings, ...details })
          .filter(([key]) => key !== 'receive' || !receiving)
          .map(([key, value]) => (
            <Fact key={key} name={key} value={value} hasLink={key in details} />
          ))}
      </dl>
      <div class="buttons">
        <ActButton
          action={{ method: 'POST', path: `/numbers/${number.uuid}/connection/check` }}
          announcement={texts.theServiceAcceptsThe}
          done={reload}
        >
          {texts.check}
        </ActButton>
        {stopped && (
          <ActButton
            look="button outlined"
            action={{ method: 'POST', path: `/numbers/${number.uuid}/connection/resume` }}
            announcement={texts.theNumberSendsAndReceives}
            done={reload}
          >
            {texts.resumeWithoutACheck}
          </ActButton>
        )}
      </div>
    </>
  );
}

function Receiving({ connection: { stopped, receiving, settings } }: { connection: Connection }) {
  if (stopped) return <>{texts.notWhileItIsStopped}</>;
  if (!receiving) return <>{texts.theServiceCallsThePlatform}</>;
  const { failures, next_at: next } = receiving;
  const way = typeof settings.receive === 'string' ? texts.by(settings.receive) : '';
  if (failures === 0) return <>{way + texts.active}</>;
  return (
    <>
      {way}
      {texts.failedOnceTimesInA(failures, next)}
      {next !== null && <Time at={next} />}
    </>
  );
}

/** A key of settings, or a type of numbers, as a label: `api_url` is `API URL`. */
export function labelOf(key: string): string {
  const words = key.replaceAll('_', ' ').replace(/\b(api|imap|sms|smtp|tls|url|uuid)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Choices such as `inline`, which need no button that copies them. */
const CHOICE = /^[a-z]{0,8}$/;

/** @param hasLink whether a URL is a page that can be opened; those of settings are not */
function Fact({ name, value, hasLink }: { name: string; value: unknown; hasLink: boolean }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isLink = hasLink && /^https?:\/\//i.test(text);
  return (
    <>
      <dt>{labelOf(name)}</dt>
      <dd>
        {isLink ? (
          <span class="record-link">
            <a href={text} target="_blank" rel="noopener noreferrer">
              {text}
            </a>
            <CopyText text={text} label={labelOf(name)} shown="" />
          </span>
        ) : typeof value === 'string' && !CHOICE.test(text) ? (
          <CopyText text={text} label={labelOf(name)} />
        ) : (
          text
        )}
      </dd>
    </>
  );
}
