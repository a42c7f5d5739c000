import { useEffect, useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { callsOf, failedPercent, lanesText, type Mark, merged, msText, type PlottedTime, percentText } from '../data/plotted-times.js';
import { useQuery } from '../data/query.js';
import sheet from '../styles/plots.page.css';
import { lazyPart } from './lazy-part.js';
import { addSheet } from './page-sheet.js';
import { texts } from './plot-texts.js';
import { Failure, Loading } from './status.js';
import { rangeText, Time } from './time.js';

addSheet(sheet);

const Panels = lazyPart(() => import('./plot-panels.js'));

const RANGES = [
  ['5m', texts.minutes5, texts.inLast5Minutes],
  ['1h', texts.hour1, texts.inLastHour],
  ['24h', texts.hours24, texts.inLast24Hours],
] as const;
/** Marks in the list below the charts. */
const MAX_MARKS = 8;
const MINUTE_S = 60;
/** After these events the newest time has other values. */
const EVENTS = ['delivery.queued', 'delivery.attempted', 'delivery.settled', 'integration.', 'webhook.', 'fault.', 'clock.', 'state.'];

interface PlotsProps {
  /** The webhook whose calls are shown; those of all endpoints if not given. */
  readonly webhook?: string;
  readonly heading: 'h2' | 'h3';
}

/** How calls to endpoints went over time: rate, errors, response times, waiting deliveries and lanes, with marks of what may explain them. */
export function Plots({ webhook, heading: Heading }: PlotsProps) {
  const [params, setParams] = useSearchParams();
  const [range, , words] = RANGES.find(([id]) => id === params.get('range')) ?? RANGES[1];
  const scope = webhook === undefined ? '' : `&endpoint=${webhook}`;
  const { data, error, reload } = useQuery<{ seconds: number; times: readonly PlottedTime[] }>(
    `/endpoints/traffic?range=${range}${scope}`,
    EVENTS,
  );
  const seconds = data?.seconds ?? MINUTE_S;
  // Times end also without events.
  useEffect(() => {
    const timer = setInterval(reload, Math.min(seconds, MINUTE_S) * 1_000);
    return () => clearInterval(timer);
  }, [seconds, range, webhook]);
  const times = merged(data?.times ?? []);
  const isEmpty = times.every((time) => callsOf(time) + time.waiting === 0);
  return (
    <section
      class="card plots"
      aria-label={texts.callsOverTime}
      data-range={times.length > 0 ? rangeText(Date.parse(times[0]!.at), Date.parse(times.at(-1)!.at) + seconds * 1_000) : undefined}
    >
      <div class="head">
        <Heading>{texts.callsOverTime}</Heading>
        <fieldset class="segments">
          <legend class="unseen">{texts.range}</legend>
          {RANGES.map(([id, label]) => (
            <button
              key={id}
              type="button"
              class="button outlined"
              aria-pressed={id === range}
              onClick={() =>
                setParams(
                  (before) => {
                    before.set('range', id);
                    return before;
                  },
                  { replace: true },
                )
              }
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      {!data && (error ? <Failure error={error} retry={reload} /> : <Loading />)}
      {data && isEmpty && <p class="quiet">{webhook === undefined ? texts.noCallsToAny(words) : texts.noCallsToWebhook(words)}</p>}
      {data && !isEmpty && (
        <>
          <Summary times={times} words={words} />
          <Panels key={range} times={times} seconds={seconds} />
          <Marks times={times} webhook={webhook} />
          <Table times={times} />
        </>
      )}
    </section>
  );
}

function Summary({ times, words }: { times: readonly PlottedTime[]; words: string }) {
  const sum = { ok: 0, failed: 0 };
  for (const { ok, failed } of times) {
    sum.ok += ok;
    sum.failed += failed;
  }
  const calls = callsOf(sum);
  return (
    <p>{texts.summary(calls, words, sum.failed, percentText(failedPercent(sum)), Math.max(...times.map(({ waiting }) => waiting)))}</p>
  );
}

/** The newest marks; the same ones in a row together. */
function Marks({ times, webhook }: { times: readonly PlottedTime[]; webhook: string | undefined }) {
  const groups: { readonly mark: Mark; readonly count: number }[] = [];
  for (const mark of times.flatMap((time) => time.marks)) {
    const last = groups.at(-1);
    const isSame = last?.mark.text === mark.text && last.mark.endpoint === mark.endpoint;
    if (isSame) groups.pop();
    groups.push({ mark, count: isSame ? last.count + 1 : 1 });
  }
  if (groups.length === 0) return null;
  return (
    <ul class="plot-marks" aria-label={texts.marksInCharts}>
      {groups.slice(-MAX_MARKS).map(({ mark: { at, text, endpoint }, count }, i) => (
        <li key={`${at} ${i}`}>
          <Time at={at} /> {endpoint === null || endpoint === webhook ? text : <Link href={`/webhooks/${endpoint}`}>{text}</Link>}
          {count > 1 && <span class="quiet"> {texts.times(count)}</span>}
        </li>
      ))}
    </ul>
  );
}

const COLUMNS = [texts.from, texts.calls, texts.failed, 'p50', 'p95', 'p99', texts.waiting, texts.lane];

/** The text alternative of the charts. Built when it is opened. */
function Table({ times }: { times: readonly PlottedTime[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.asTable}</summary>
      {isOpen && (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .filter((time) => callsOf(time) + time.waiting > 0)
                .reverse()
                .map((time) => (
                  <tr key={time.at}>
                    <th scope="row">
                      <Time at={time.at} />
                    </th>
                    <td class="figure">{callsOf(time)}</td>
                    <td class="figure">{time.failed}</td>
                    {[time.p50_ms, time.p95_ms, time.p99_ms].map((ms, i) => (
                      <td key={COLUMNS[3 + i]} class="figure">
                        {msText(ms)}
                      </td>
                    ))}
                    <td class="figure">{time.waiting}</td>
                    <td>{lanesText(time)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
