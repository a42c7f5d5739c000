import { Link } from 'wouter-preact';
import { StateOfEndpoint, SuccessBars } from '../../components/endpoint-health.js';
import { LastOutcome, latencyOf } from '../../components/outcome.js';
import { Status } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { live } from '../../data/live.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import type { Platform } from './platform.js';
import { texts } from './texts.js';

/** More rows are on the page of webhooks. */
const SHOWN = 12;

const WORDS = { pending: texts.noHandshakeYet, ready: texts.ready, failed: texts.handshakeFailed } as const;

interface Integration {
  readonly uuid: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly handshake: {
    readonly state: 'pending' | 'ready' | 'failed';
    readonly at?: string;
    readonly trouble?: { readonly reason: string };
  };
}

/** The last result, latency and lane of every endpoint that the platform calls. */
export function Health({ numbers, channels, webhooks, outcomes, endpoints }: Platform) {
  const connectors = new Set(channels.flatMap((channel) => channel.webhooks.map(({ uuid }) => uuid)));
  const sorted = [...webhooks].sort((a, b) => Number(connectors.has(b.uuid)) - Number(connectors.has(a.uuid)));
  const nameOf = (uuid: string): string => numbers.find((number) => number.uuid === uuid)?.name ?? uuid;
  return (
    <section class="card" aria-labelledby="health">
      <div class="head">
        <h2 id="health">{texts.health}</h2>
        <Link href="/deliveries">{texts.allDeliveries}</Link>
      </div>
      {sorted.length === 0 ? (
        <p class="quiet">{texts.noEndpoint(<Link href="/webhooks">{texts.webhook}</Link>)}</p>
      ) : (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.target}</th>
                <th scope="col">{texts.state}</th>
                <th scope="col" class="short">
                  {texts.latency}
                </th>
                <th scope="col" class="short minor">
                  {texts.lane}
                </th>
              </tr>
            </thead>
            <tbody>
              {sorted.slice(0, SHOWN).map(({ uuid, number, name, lane, response_ms: mean, enabled, paused_at: pausedAt }) => {
                const isConnector = connectors.has(uuid);
                return (
                  <tr key={uuid}>
                    <th scope="row">
                      <Link href={isConnector ? `/channels/${number}` : `/webhooks/${uuid}`}>
                        <bdi>{isConnector ? nameOf(number) : name}</bdi>
                      </Link>
                      <small class="quiet">{isConnector ? texts.connector : texts.webhookOf(nameOf(number))}</small>
                    </th>
                    <td>
                      {!enabled || pausedAt !== undefined ? (
                        <Status tone="warn">{enabled ? texts.paused : texts.disabled}</Status>
                      ) : (
                        <StateOfEndpoint endpoint={endpoints.get(uuid)} />
                      )}
                      <LastOutcome outcome={outcomes.get(uuid)} />
                      {endpoints.has(uuid) && <SuccessBars endpoint={endpoints.get(uuid)!} />}
                    </td>
                    <td class="figure short">{latencyOf(outcomes.get(uuid), mean)}</td>
                    <td class="short minor">{lane}</td>
                  </tr>
                );
              })}
              {numbers.slice(0, SHOWN).map((number) => (
                <IntegrationRows key={number.uuid} number={number} endpoints={endpoints} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {sorted.length > SHOWN && (
        <p>
          <Link href="/webhooks">{texts.moreEndpoints(sorted.length - SHOWN)}</Link>
        </p>
      )}
    </section>
  );
}

interface IntegrationRowsProps extends Pick<Platform, 'endpoints'> {
  readonly number: NumberRecord;
}

function IntegrationRows({ number, endpoints }: IntegrationRowsProps) {
  const { data } = useQuery<{ integrations: readonly Integration[] }>(`/integrations?number=${number.uuid}`, [
    'integration.shaken',
    'state.',
  ]);
  if (!data) return null;
  return (
    <>
      {data.integrations.map(({ uuid, name, enabled, handshake }) => {
        const polled = live.events.findLast((event) => event.name === 'integration.polled' && event.data.integration === uuid)?.data;
        const endpoint = endpoints.get(uuid);
        const tone = !enabled || handshake.state === 'pending' ? 'warn' : handshake.state === 'ready' ? 'ok' : 'bad';
        return (
          <tr key={uuid}>
            <th scope="row">
              <Link href={`/integrations/${uuid}`}>
                <bdi>{name}</bdi>
              </Link>
              <small class="quiet">{texts.integrationOf(number.name)}</small>
            </th>
            <td>
              {enabled && handshake.state === 'ready' && endpoint ? (
                <StateOfEndpoint endpoint={endpoint} />
              ) : (
                <Status tone={tone}>{enabled ? WORDS[handshake.state] : texts.disabled}</Status>
              )}
              {endpoint && <SuccessBars endpoint={endpoint} />}
              <small class="quiet" dir="auto">
                {handshake.trouble?.reason ?? (handshake.at !== undefined && texts.handshakeAt(<Time at={handshake.at} />))}
              </small>
            </td>
            <td class="figure short">{polled ? duration(polled.ms) : '–'}</td>
            <td class="minor">–</td>
          </tr>
        );
      })}
    </>
  );
}
