import { useMemo } from 'preact/hooks';
import { locale } from '../../../../../core/web/language.js';
import { lazyPart } from '../../components/lazy-part.js';
import { rangeText } from '../../components/time.js';
import { live, type StreamedEvent } from '../../data/live.js';
import { useServerTime } from '../../data/server-time.js';
import { texts } from './texts.js';
import { type Bin, traffic } from './traffic-data.js';

export const BIN_MS = 10_000;
const BINS = 30;
const TICK_MS = 1_000;

const Chart = lazyPart(() => import('./traffic-chart.js'));

/** Messages of the last five minutes. */
export function Traffic() {
  const now = useServerTime(TICK_MS);
  const end = Math.ceil((now + 1) / BIN_MS) * BIN_MS;
  const bins = useMemo(() => binned(live.events, end), [live.events.length, live.events.at(-1)?.id, end]);
  traffic.value = bins;
  const total = (of: 'in' | 'out' | 'failed'): number => bins.reduce((sum, bin) => sum + bin[of], 0);
  const isQuiet = bins.every((bin) => bin.in + bin.out + bin.failed === 0);
  return (
    <section class="card" aria-labelledby="traffic" data-range={rangeText(end - BINS * BIN_MS, end)}>
      <h2 id="traffic">{texts.traffic}</h2>
      <p class="legend">
        <span class="legend-in">{texts.countIn(total('in'))}</span>
        <span class="legend-out">{texts.countOut(total('out'))}</span>
        <span class="legend-failed">{texts.countFailed(total('failed'))}</span>
      </p>
      {isQuiet ? <p class="quiet">{texts.noMessages}</p> : <Chart />}
      {!isQuiet && (
        <details class="more">
          <summary>{texts.asTable}</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.from}</th>
                <th scope="col">{texts.in}</th>
                <th scope="col">{texts.out}</th>
                <th scope="col">{texts.failed}</th>
              </tr>
            </thead>
            <tbody>
              {bins
                .filter((bin) => bin.in + bin.out + bin.failed > 0)
                .reverse()
                .map((bin) => (
                  <tr key={bin.at}>
                    <th scope="row">{new Date(bin.at).toLocaleTimeString(locale, { hourCycle: 'h23' })}</th>
                    <td class="figure">{bin.in}</td>
                    <td class="figure">{bin.out}</td>
                    <td class="figure">{bin.failed}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </details>
      )}
      <p class="quiet">{texts.whatIsCounted}</p>
    </section>
  );
}

function binned(events: readonly StreamedEvent[], end: number): Bin[] {
  const start = end - BINS * BIN_MS;
  const bins = Array.from({ length: BINS }, (_, n): Bin => ({ at: start + n * BIN_MS, in: 0, out: 0, failed: 0 }));
  const from = new Date(start).toISOString();
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.at < from) break;
    const kind = kindOf(event);
    const bin = kind && bins[Math.floor((Date.parse(event.at) - start) / BIN_MS)];
    if (kind && bin) bin[kind]++;
  }
  return bins;
}

function kindOf({ name, data }: StreamedEvent): 'in' | 'out' | 'failed' | undefined {
  if (name === 'message.received') return 'in';
  if (name === 'message.queued') return 'out';
  if (name === 'message.undeliverable') return 'failed';
  if (name === 'message.status') return data.report.status === 'failed' ? 'failed' : undefined;
  return name === 'delivery.attempted' && data.attempt.result !== 'delivered' ? 'failed' : undefined;
}
