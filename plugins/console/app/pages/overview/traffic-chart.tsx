import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { theme } from '../../data/preferences.js';
import { traffic } from './traffic-data.js';

const HEIGHT = 140;
const LINES = [
  ['In', '--accent', []],
  ['Out', '--ok', [6, 3]],
  ['Failed', '--bad', [2, 3]],
] as const;

/** A chart of the traffic; the table beside it has the same numbers. */
export default function TrafficChart() {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>();
  const data = (): UPlot.AlignedData => {
    const bins = traffic.value;
    return [bins.map(({ at }) => at / 1000), bins.map((bin) => bin.in), bins.map((bin) => bin.out), bins.map((bin) => bin.failed)];
  };
  useEffect(() => {
    const element = place.current!;
    const draw = (): void => {
      chart.current?.destroy();
      chart.current = new UPlot(optionsFor(element), data(), element);
    };
    draw();
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // The canvas has the colours of the theme in which it was drawn.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const unsubscribe = theme.subscribe(() => queueMicrotask(draw));
    return () => {
      unsubscribe();
      scheme.removeEventListener('change', draw);
      resized.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, []);
  useSignalEffect(() => {
    const next = data();
    chart.current?.setData(next);
  });
  return <div ref={place} class="traffic-chart" role="img" aria-label="Messages in, out and failed over time; the table has the numbers" />;
}

function optionsFor(element: HTMLElement): UPlot.Options {
  const probe = document.createElement('span');
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [muted, line] = [colour('--muted'), colour('--line')];
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  const options: UPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
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
  probe.remove();
  return options;
}
