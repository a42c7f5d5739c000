import { Link } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import type { ShownWebhook } from '../../data/records.js';
import { texts } from './texts.js';

interface LaneResponses {
  readonly responses: readonly {
    readonly delivery: string;
    readonly at: string;
    readonly status: number;
    readonly no_response: string | null;
    readonly error_code: string | null;
    readonly duration_ms: number | null;
    readonly counted_ms: number;
  }[];
  readonly next: { readonly count: number; readonly of: number; readonly mean_ms: number | null };
  readonly thresholds: { readonly high_up_to_ms: number; readonly low_from_ms: number };
}

const HEIGHT = 140;
const TOP = 18;
const BOTTOM = 122;
/** Percent of the width; the names of the thresholds are beside it. */
const RIGHT = 80;
/** The axis is logarithmic, from one millisecond. */
const MIN_MS = 1;

/** The lane of a webhook, and the response times that decide it. */
export function LaneChart({ webhook }: { webhook: ShownWebhook }) {
  const { data, error, reload } = useQuery<LaneResponses>(`/webhooks/${webhook.uuid}/responses`, ['delivery.', 'webhook.', 'state.']);
  const { lane, response_ms: decided } = webhook;
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { next, thresholds } = data;
  return (
    <section class="card" aria-label={texts.lane}>
      <div class="head">
        <h3>{texts.laneIs(lane)}</h3>
        <span class="quiet">{decided === undefined ? texts.laneOfNewWebhooks : texts.decidedByEarlier}</span>
      </div>
      {data.responses.length === 0 ? (
        <p class="quiet">{texts.noResponseYet}</p>
      ) : (
        <>
          <Drawing data={data} />
          <p class="quiet">
            <span class="mean-line" aria-hidden="true" /> {texts.averageOfThese(data.responses.length)}
          </p>
          <details>
            <summary>{texts.dataTable}</summary>
            <div class="table-scroll">
              <table class="lines">
                <caption class="unseen">{texts.responseTimes}</caption>
                <thead>
                  <tr>
                    <th scope="col">{texts.time}</th>
                    <th scope="col">{texts.response}</th>
                    <th scope="col">{texts.took}</th>
                    <th scope="col">{texts.countsAs}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.responses.map(({ delivery, at, duration_ms: ms, counted_ms: counted, ...outcome }, i) => (
                    <tr key={`${delivery} ${i}`}>
                      <td>
                        <Link href={`/deliveries/${delivery}`}>
                          <Time at={at} />
                        </Link>
                      </td>
                      <td>
                        <Status tone={toneOfHttp(outcome.status)}>
                          {outcomeText(outcome)}
                          {outcome.error_code === 'bad_answer' && ` ${texts.badAnswer}`}
                        </Status>
                      </td>
                      <td>{ms === null ? '–' : duration(ms)}</td>
                      <td>{duration(counted)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
      <p class="quiet">
        {texts.howLaneIsDecided(
          next.of,
          duration(thresholds.high_up_to_ms),
          duration(thresholds.low_from_ms),
          next.count,
          next.mean_ms === null ? undefined : duration(next.mean_ms),
        )}
      </p>
    </section>
  );
}

/** Room for a label, in pixels. */
const LABEL = 14;

/** Moves a label away from the nearest of the others, which it would cover. */
function besides(at: number, others: readonly number[]): number {
  const near = others.find((other) => Math.abs(at - other) < LABEL);
  if (near === undefined) return at;
  return at < near ? near - LABEL : near + LABEL;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, ms) => sum + ms, 0) / values.length;

function Drawing({ data: { responses, next, thresholds } }: { data: LaneResponses }) {
  const counted = responses.map(({ counted_ms: ms }) => ms);
  const mean = meanOf(counted);
  const max = Math.max(2 * thresholds.low_from_ms, ...counted);
  const y = (ms: number): number => BOTTOM - (Math.log(Math.max(ms, MIN_MS) / MIN_MS) / Math.log(max / MIN_MS)) * (BOTTOM - TOP);
  const slot = RIGHT / next.of;
  const { high_up_to_ms: high, low_from_ms: low } = thresholds;
  return (
    <svg class="lane-chart" width="100%" height={HEIGHT} role="img" aria-label={texts.chartOfResponses(responses.length, duration(mean))}>
      {responses.map(({ counted_ms: ms, delivery, status, no_response }, i) => (
        <g key={`${delivery} ${i}`} class={status < 200 || status > 299 ? 'failed' : undefined}>
          <title>{`${outcomeText({ status, no_response })}, ${duration(ms)}`}</title>
          <rect x={`${i * slot + slot * 0.22}%`} width={`${slot * 0.56}%`} y={y(ms) - 4} height={BOTTOM - y(ms) + 4} rx="2" />
          {(status < 200 || status > 299) && (
            <text x={`${(i + 0.5) * slot}%`} y={y(ms) - 8} text-anchor="middle">
              ✗
            </text>
          )}
        </g>
      ))}
      {[high, low].map((ms) => (
        <g key={ms} class="threshold">
          <line x1="0" x2={`${RIGHT}%`} y1={y(ms)} y2={y(ms)} />
          <text x={`${RIGHT + 1}%`} y={y(ms) + 4}>
            {duration(ms)}
          </text>
        </g>
      ))}
      <g class="mean">
        <line x1="0" x2={`${RIGHT}%`} y1={y(mean)} y2={y(mean)} />
        <text x={`${RIGHT + 1}%`} y={besides(y(mean), [y(high), y(low)]) + 4}>
          ⌀ {duration(mean)}
        </text>
      </g>
      <text class="axis" x="0" y={HEIGHT - 3}>
        {texts.oldest}
      </text>
      <text class="axis" x={`${responses.length * slot}%`} y={HEIGHT - 3} text-anchor="end">
        {texts.newest}
      </text>
    </svg>
  );
}
