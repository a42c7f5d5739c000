import { outcomeText } from '../../../../core/events/outcome-text.js';
import type { AttemptRecord } from '../data/records.js';
import { texts } from './texts.js';
import { duration } from './time.js';

/** Means up to the first are in the lane `high`, below the second in `default`, and from there on in `low`. */
const HIGH_UP_TO_MS = 200;
const LOW_FROM_MS = 1_000;
const [WIDTH, HEIGHT, BAR, GAP] = [320, 88, 11, 5];
/** Room for the names of the thresholds beside the bars. */
const LABELS = 52;
const MIN_MS = 1;
const TOP_MS = 5_000;

/** Response times on a logarithmic scale, oldest first, with the thresholds of the lanes. */
export function LatencyStrip({ attempts }: { attempts: readonly AttemptRecord[] }) {
  const oldestFirst = [...attempts].reverse();
  const failed = attempts.filter(({ result }) => result !== 'delivered').length;
  const times = attempts.flatMap(({ duration_ms: ms }) => ms ?? []);
  const average = times.length > 0 && texts.onAverage(duration(times.reduce((sum, ms) => sum + ms, 0) / times.length));
  const label = texts.responseTimesOfTheLast(attempts.length, failed);
  return (
    <figure class="strip">
      <svg viewBox={`0 0 ${WIDTH + LABELS} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="xMinYMid meet">
        {[HIGH_UP_TO_MS, LOW_FROM_MS].map((ms) => (
          <g key={ms}>
            <line class="strip-threshold" x1={0} x2={WIDTH} y1={HEIGHT - heightOf(ms)} y2={HEIGHT - heightOf(ms)} />
            <text x={WIDTH + 6} y={HEIGHT - heightOf(ms) + 4}>
              {duration(ms)}
            </text>
          </g>
        ))}
        {oldestFirst.map((attempt, n) => {
          const height = heightOf(attempt.duration_ms ?? TOP_MS);
          const isFine = attempt.result === 'delivered';
          const x = n * (BAR + GAP);
          return (
            <g key={attempt.uuid} class={isFine ? 'strip-ok' : 'strip-failed'}>
              <title>{`${outcomeText(attempt)}, ${attempt.duration_ms === null ? texts.noResponse : duration(attempt.duration_ms)}`}</title>
              <rect x={x} y={HEIGHT - height} width={BAR} height={height} rx={2} />
              {/* Failures have a cross, too, because colours are not enough. */}
              {!isFine && <path d={`M${x + 2} ${HEIGHT - height - 10}l7 7m0 -7l-7 7`} />}
            </g>
          );
        })}
      </svg>
      <figcaption class="quiet">{texts.aMeanOfTwentyUp(average, duration(HIGH_UP_TO_MS), duration(LOW_FROM_MS))}</figcaption>
    </figure>
  );
}

/** Leaves room for a cross above the highest bar. */
function heightOf(ms: number): number {
  const share = Math.log(Math.max(MIN_MS, Math.min(TOP_MS, ms)) / MIN_MS) / Math.log(TOP_MS / MIN_MS);
  return 4 + share * (HEIGHT - 18);
}
