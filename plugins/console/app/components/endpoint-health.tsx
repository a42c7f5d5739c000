import { Link } from 'wouter-preact';
import type { Endpoint, Tally } from '../data/endpoints.js';
import { useServerTime } from '../data/server-time.js';
import { Status, type Tone } from './status.js';
import { texts } from './texts.js';
import { Time } from './time.js';

const LOOKS: Readonly<Record<Endpoint['state'], readonly [tone: Tone, text: string]>> = {
  working: ['ok', texts.working],
  unstable: ['partly', texts.someCallsFail],
  failing: ['bad', texts.failing],
};

interface StateProps {
  readonly endpoint: Endpoint | undefined;
  /** When the endpoint was made, if that is known: attempts are counted over a day, which it may not have existed for. */
  readonly since?: string | undefined;
}

/** Percent of a day's attempts: with fewer successes, an endpoint that works now has failed noticeably. */
const FEW_FAILED = 95;

/** Whether an endpoint works. One without an attempt in the last day is unknown, not fine. */
export function StateOfEndpoint({ endpoint, since }: StateProps) {
  if (!endpoint && since !== undefined) return <NotCalled since={since} />;
  if (!endpoint) return <Status tone="neutral">{texts.noCallIn24H}</Status>;
  const { state, last_24_h: day } = endpoint;
  if (state === 'working' && day.failed > 0 && percentOf(day) < FEW_FAILED) return <Status tone="partly">{texts.worksAgain}</Status>;
  const [tone, text] = LOOKS[state];
  return <Status tone={tone}>{text}</Status>;
}

const DAY_MS = 86_400_000;

function NotCalled({ since }: { since: string }) {
  const now = useServerTime(60_000);
  return <Status tone="neutral">{now - Date.parse(since) < DAY_MS ? texts.noCallYet : texts.noCallIn24H}</Status>;
}

/** The share of calls that succeeded, rounded down so that 100 % means all. */
const percentOf = ({ ok, failed }: Tally): number => Math.floor((100 * ok) / (ok + failed));

/** The share of calls that succeeded, as a small bar. */
export function SuccessBar({ tally, time, hasText = true }: { tally: Tally; time: string; hasText?: boolean }) {
  const { ok, failed } = tally;
  const count = ok + failed;
  if (count === 0) return hasText ? <span class="success quiet">{texts.noCall(time)}</span> : null;
  const words = texts.ofCallsSucceededIn(ok, count, time);
  const width = (100 * ok) / count;
  return (
    <span class="success" title={words}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="ok" width={width} height="8" />
        <rect class="bad" x={width} width={100 - width} height="8" />
      </svg>
      {hasText && <small>{texts.in(percentOf(tally), time)}</small>}
    </span>
  );
}

/** The bar of a row in a list: of the last 15 minutes, or of the day if nothing was called since. */
export function SuccessInRow({ endpoint }: { endpoint: Endpoint | undefined }) {
  if (!endpoint) return null;
  const isRecent = endpoint.last_15_min.ok + endpoint.last_15_min.failed > 0;
  return (
    <SuccessBar tally={isRecent ? endpoint.last_15_min : endpoint.last_24_h} time={isRecent ? texts.n15Min : texts.n24H} hasText={false} />
  );
}

export const SuccessBars = ({ endpoint }: { endpoint: Endpoint }) => (
  <span class="success-bars">
    <SuccessBar tally={endpoint.last_15_min} time={texts.n15Min} />
    <SuccessBar tally={endpoint.last_24_h} time={texts.n24H} />
  </span>
);

/** The state, success rates, last error and next attempt of an endpoint, as rows of a list of facts. */
export function EndpointFacts({ endpoint, since }: StateProps) {
  const { last_error: error, next_attempt_at: next } = endpoint ?? {};
  return (
    <>
      <dt>{texts.health}</dt>
      <dd class="success-bars">
        <StateOfEndpoint endpoint={endpoint} since={since} />
        {endpoint && <SuccessBars endpoint={endpoint} />}
      </dd>
      {error && (
        <>
          <dt>{texts.lastError}</dt>
          <dd dir="auto">
            {error.text} {error.details !== null && <span class="quiet">{error.details}</span>} <Time at={error.at} />
            {error.delivery !== null && (
              <>
                {' '}
                <Link href={`/deliveries/${error.delivery}`}>{texts.showTheDelivery}</Link>
              </>
            )}
          </dd>
        </>
      )}
      {next && (
        <>
          <dt>{texts.nextAttempt}</dt>
          <dd>
            <Time at={next} />
          </dd>
        </>
      )}
    </>
  );
}
