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
import { texts } from './texts.js';

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
          <strong>{text}</strong> {fix} {href && <Link href={href}>{texts.showTheWebhook}</Link>}
        </p>
      ))}
      {connector?.paused_at !== undefined && (
        <div class="callout">
          <p>{texts.theEndpointIsPausedSince(<Time at={connector.paused_at} />, connector.paused_because)}</p>
          <ActButton look="button outlined" action={{ method: 'POST', path: `/webhooks/${connector.uuid}/resume` }} done={about.reload}>
            {texts.resume}
          </ActButton>
        </div>
      )}
      {connector && !connector.enabled && <p class="callout">{texts.theWebhookOfTheConnector}</p>}
      {connector && (
        <dl class="facts">
          <dt>{texts.lane}</dt>
          <dd>
            <strong>{connector.lane}</strong>
            <span class="quiet">
              {connector.response_ms === undefined
                ? texts.everyTwentyResponsesDecide
                : texts.decidedByTwentyEarlier(duration(connector.response_ms))}
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
          {texts.noDeliveryToTheConnector(<Link href={`/channels/${channel.number.uuid}?tab=samples`}>{texts.sendASample}</Link>)}
        </p>
      ) : (
        <>
          <LatencyStrip attempts={attempts} />
          <Errors attempts={attempts} />
          <details class="more">
            <summary>{texts.theLastAttemptAttemptsAs(attempts.length)}</summary>
            <div class="table-scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{texts.time}</th>
                    <th scope="col">{texts.result}</th>
                    <th scope="col">{texts.latency}</th>
                    <th scope="col">{texts.attempt}</th>
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
                      <td class="figure">{attempt.n === 0 ? texts.first : texts.retry(attempt.n)}</td>
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
      <h3 id="errors">{texts.errors}</h3>
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
                  {texts.onceTimesLastAt(
                    same.length,
                    <Time at={newest.started_at} />,
                    newest.error,
                    <Link href={`/deliveries/${newest.delivery}`}>{texts.showTheDelivery}</Link>,
                  )}
                  {newest.status === 401 && (
                    <>
                      {' · '}
                      <Link href={`/signature/${newest.delivery}`}>{texts.checkTheSignature}</Link>
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
