import { useRef, useState } from 'preact/hooks';
import type { Filters } from '../data/filters.js';
import { BARS, binned } from '../data/groups.js';
import { texts } from './log-texts.js';
import { Time } from './time.js';

const HEIGHT = 32;
/** A shorter drag is a click. */
const LEAST_PX = 4;

interface HistogramProps {
  readonly times: readonly number[];
  readonly about: string | undefined;
  readonly set: (changes: Filters) => void;
}

/** How many records there were when, of those that are loaded, with the times of the first and the last. */
export default function Histogram({ times, about, set }: HistogramProps) {
  return (
    <div class="histogram-row">
      <div class="histogram-chart">
        <Bars times={times} set={set} />
        <small class="histogram-times">
          {[Math.min(...times), Math.max(...times)].map((at, i) => (
            <Time key={i} at={new Date(at).toISOString()} />
          ))}
        </small>
      </div>
      {about && <small class="quiet">{about}</small>}
    </div>
  );
}

/** Dragging chooses a time; the fields beside it do the same with keys. */
function Bars({ times, set }: Pick<HistogramProps, 'times' | 'set'>) {
  const svg = useRef<SVGSVGElement>(null);
  const [brush, setBrush] = useState<readonly [number, number]>();
  const { first, span, counts } = binned(times);
  const most = Math.max(...counts);
  const placeOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = svg.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width));
  };
  const timeAt = (place: number): string => new Date(first + place * span).toISOString();
  const end = (): void => {
    if (!brush) return;
    const [from, to] = brush.toSorted((a, b) => a - b);
    setBrush(undefined);
    if ((to! - from!) * svg.current!.clientWidth < LEAST_PX) return;
    set({ from: timeAt(from!), before: timeAt(to!) });
  };
  return (
    <svg
      ref={svg}
      class="histogram"
      viewBox={`0 0 ${BARS} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.histogram(times.length, most, Math.round(span / BARS / 1_000))}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setBrush([placeOf(event), placeOf(event)]);
      }}
      onPointerMove={(event) => brush && setBrush([brush[0], placeOf(event)])}
      onPointerUp={end}
      onPointerCancel={() => setBrush(undefined)}
    >
      <title>{texts.dragToChooseTime}</title>
      <rect class="histogram-ground" width={BARS} height={HEIGHT} />
      {counts.map((count, at) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
        return <rect key={at} x={at + 0.1} y={HEIGHT - height} width={0.8} height={height} />;
      })}
      {brush && <rect class="histogram-brush" x={Math.min(...brush) * BARS} width={Math.abs(brush[1] - brush[0]) * BARS} height={HEIGHT} />}
    </svg>
  );
}
