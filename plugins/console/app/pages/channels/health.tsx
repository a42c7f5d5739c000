import { Link } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { ActButton } from '../../components/act.js';
import FailureCause from '../../components/failure-cause.js';
import { toneOfAttempt } from '../../components/outcome.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { LatencyStrip } from '../../components/strip.js';
import { duration, Time } from '../../components/time.js';
import { useAttempts } from '../../data/outcomes.js';
import type { AttemptRecord } from '../../data/records.js';
import type { AboutChannel } from './about-channel.js';
import { lintOf } from './lint.js';

/** As many response times as decide a lane. */
const SHOWN = 20;

/** The last deliveries to the connector, the lane, errors in plain words, and findings about its subscriptions. */
export function Health(about: AboutChannel) {
  const { channel, connector } = about;
  const { data: attempts, error, reload } = useAttempts(channel.webhooks[0]?.uuid, SHOWN);
  const findings = lintOf(about);
  return (
    <div class="channel-part">
      {findings.map(({ text, fix, href }) => (
        <p key={text} class="callout">
          <strong>{text}</strong> {fix} {href && <Link href={href}>Show the webhook</Link>}
        </p>
      ))}
      {connector?.paused_at !== undefined && (
        <div class="callout">
          <p>
            The endpoint is paused since <Time at={connector.paused_at} />
            {connector.paused_because === 'failures' && ', after too many failures'}. Deliveries are stored.
          </p>
          <ActButton look="button outlined" action={{ method: 'POST', path: `/webhooks/${connector.uuid}/resume` }} done={about.reload}>
            Resume
          </ActButton>
        </div>
      )}
      {connector && !connector.enabled && <p class="callout">The webhook of the connector is disabled: deliveries are cancelled.</p>}
      {connector && (
        <dl class="facts">
          <dt>Lane</dt>
          <dd>
            <strong>{connector.lane}</strong>
            <span class="quiet">
              {connector.response_ms === undefined
                ? ' · every twenty responses decide it again'
                : ` · decided by twenty earlier responses, on average ${duration(connector.response_ms)}`}
            </span>
          </dd>
        </dl>
      )}
      {!attempts ? (
        error ? (
          <Failure error={error} retry={reload} />
        ) : (
          channel.webhooks[0] && <Loading />
        )
      ) : attempts.length === 0 ? (
        <p class="quiet">
          No delivery to the connector yet. <Link href={`/channels/${channel.number.uuid}?tab=samples`}>Send a sample</Link>.
        </p>
      ) : (
        <>
          <LatencyStrip attempts={attempts} />
          <Errors attempts={attempts} />
          <details class="more">
            <summary>The last {attempts.length === 1 ? 'attempt' : `${attempts.length} attempts`} as a table</summary>
            <div class="table-scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Time</th>
                    <th scope="col">Result</th>
                    <th scope="col">Latency</th>
                    <th scope="col">Attempt</th>
                  </tr>
                </thead>
                <tbody>
                  {attempts.map((attempt) => (
                    <tr key={attempt.uuid}>
                      <th scope="row">
                        <Link href={`/deliveries/${attempt.delivery}`}>
                          <Time at={attempt.started_at} />
                        </Link>
                      </th>
                      <td>
                        <Status tone={toneOfAttempt(attempt)}>{outcomeText(attempt)}</Status>
                      </td>
                      <td class="figure">{attempt.duration_ms === null ? '–' : duration(attempt.duration_ms)}</td>
                      <td class="figure">{attempt.n === 0 ? 'first' : `retry ${attempt.n}`}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </div>
  );
}

/** The kinds of failures among the attempts, newest first. */
function Errors({ attempts }: { attempts: readonly AttemptRecord[] }) {
  const failed = attempts.filter(({ result }) => result !== 'delivered');
  const byKind = new Map<string, AttemptRecord[]>();
  for (const attempt of failed) {
    const kind = `${attempt.status} ${attempt.error_code}`;
    byKind.set(kind, [...(byKind.get(kind) ?? []), attempt]);
  }
  if (byKind.size === 0) return null;
  return (
    <section aria-labelledby="errors" class="channel-part">
      <h3 id="errors">Errors</h3>
      <ul class="errors">
        {[...byKind].map(([kind, same]) => {
          const newest = same[0]!;
          return (
            <li key={kind}>
              <Status tone={toneOfAttempt(newest)}>{outcomeText(newest)}</Status>
              <div>
                <p dir="auto">
                  <FailureCause delivery={newest.delivery} attempt={newest} />
                </p>
                <p class="quiet" dir="auto">
                  {same.length === 1 ? 'Once' : `${same.length} times`}, last at <Time at={newest.started_at} />: {newest.error}.{' '}
                  <Link href={`/deliveries/${newest.delivery}`}>Show the delivery</Link>
                  {newest.status === 401 && (
                    <>
                      {' · '}
                      <Link href={`/signature/${newest.delivery}`}>Check the signature</Link>
                    </>
                  )}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
