import { Link } from 'wouter-preact';
import type { Endpoint, Tally } from '../data/endpoints.js';
import { Status, type Tone } from './status.js';
import { Time } from './time.js';

const LOOKS: Readonly<Record<Endpoint['state'], readonly [tone: Tone, text: string]>> = {
  working: ['ok', 'working'],
  unstable: ['warn', 'some calls fail'],
  failing: ['bad', 'failing'],
};

/** Whether an endpoint works. One that was not called in the last day is unknown, not fine. */
export function StateOfEndpoint({ endpoint }: { endpoint: Endpoint | undefined }) {
  const [tone, text] = endpoint ? LOOKS[endpoint.state] : (['neutral', 'no call in 24 h'] as const);
  return <Status tone={tone}>{text}</Status>;
}

/** The share of calls that succeeded, rounded down so that 100 % means all. */
const percentOf = ({ ok, failed }: Tally): number => Math.floor((100 * ok) / (ok + failed));

/** The share of calls that succeeded, as a small bar. */
export function SuccessBar({ tally, time, hasText = true }: { tally: Tally; time: string; hasText?: boolean }) {
  const { ok, failed } = tally;
  const count = ok + failed;
  if (count === 0) return hasText ? <span class="success quiet">{time}: no call</span> : null;
  const words = `${ok} of ${count} calls succeeded in ${time}`;
  const width = (100 * ok) / count;
  return (
    <span class="success" title={words}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="ok" width={width} height="8" />
        <rect class="bad" x={width} width={100 - width} height="8" />
      </svg>
      {hasText && (
        <small>
          {percentOf(tally)} % in {time}
        </small>
      )}
    </span>
  );
}

/** The bar of a row in a list: of the last 15 minutes, or of the day if nothing was called since. */
export function SuccessInRow({ endpoint }: { endpoint: Endpoint | undefined }) {
  if (!endpoint) return null;
  const isRecent = endpoint.last_15_min.ok + endpoint.last_15_min.failed > 0;
  return <SuccessBar tally={isRecent ? endpoint.last_15_min : endpoint.last_24_h} time={isRecent ? '15 min' : '24 h'} hasText={false} />;
}

export const SuccessBars = ({ endpoint }: { endpoint: Endpoint }) => (
  <span class="success-bars">
    <SuccessBar tally={endpoint.last_15_min} time="15 min" />
    <SuccessBar tally={endpoint.last_24_h} time="24 h" />
  </span>
);

/** The state, success rates, last error and next attempt of an endpoint, as rows of a list of facts. */
export function EndpointFacts({ endpoint }: { endpoint: Endpoint | undefined }) {
  const { last_error: error, next_attempt_at: next } = endpoint ?? {};
  return (
    <>
      <dt>Health</dt>
      <dd class="success-bars">
        <StateOfEndpoint endpoint={endpoint} />
        {endpoint && <SuccessBars endpoint={endpoint} />}
      </dd>
      {error && (
        <>
          <dt>Last error</dt>
          <dd dir="auto">
            {error.text} {error.details !== null && <span class="quiet">{error.details}</span>} <Time at={error.at} />
            {error.delivery !== null && (
              <>
                {' '}
                <Link href={`/deliveries/${error.delivery}`}>Show the delivery</Link>
              </>
            )}
          </dd>
        </>
      )}
      {next && (
        <>
          <dt>Next attempt</dt>
          <dd>
            <Time at={next} />
          </dd>
        </>
      )}
    </>
  );
}
