import { useMemo } from 'preact/hooks';
import { chartBase, useChart } from '../../components/chart.js';
import { texts } from './texts.js';
import { traffic } from './traffic-data.js';

const LINES = [
  [texts.in, '--accent', []],
  [texts.out, '--ok', [6, 3]],
  [texts.failed, '--bad', [2, 3]],
] as const;

/** A chart of the traffic; the table beside it has the same numbers. */
export default function TrafficChart() {
  const bins = traffic.value;
  const data = useMemo(
    () => [bins.map(({ at }) => at / 1000), bins.map((bin) => bin.in), bins.map((bin) => bin.out), bins.map((bin) => bin.failed)] as never,
    [bins],
  );
  const place = useChart((colour) => {
    const { axis, shared } = chartBase(colour);
    return {
      ...shared,
      height: 140,
      padding: [8, 18, 0, 0],
      scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
      axes: [
        // Whole minutes: labels have no seconds.
        { ...axis, values: '{HH}:{mm}', space: 60, size: 24, incrs: [60, 120, 300] },
        { ...axis, size: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000] },
      ],
      series: [
        {},
        ...LINES.map(([label, stroke, dash]) => ({ label, stroke: colour(stroke), dash: [...dash], width: 2, points: { show: false } })),
      ],
    };
  }, data);
  return <div ref={place} class="traffic-chart" role="img" aria-label={texts.chartOfTraffic} />;
}
