import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { theme } from '../data/preferences.js';

/** The current colour of a variable of the theme, such as `--accent`: a canvas knows no variables. */
export type Colour = (name: string) => string;

/** Options that all charts share: no legend and cursor of their own, and axes in the colours of the theme. */
export function chartBase(colour: Colour) {
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return { axis, shared: { legend: { show: false }, cursor: { show: false } } };
}

/** Draws a chart into an element: again when its data, its width or the theme change. `optionsOf` is that of the first render. */
export function useChart(optionsOf: (colour: Colour) => Omit<UPlot.Options, 'width'>, data: UPlot.AlignedData): RefObject<HTMLDivElement> {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>();
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => {
    const element = place.current!;
    const draw = (): void => {
      chart.current?.destroy();
      const probe = document.createElement('span');
      element.append(probe);
      const options = optionsOf((name) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
      });
      probe.remove();
      chart.current = new UPlot({ ...options, width: element.clientWidth }, newest.current, element);
    };
    draw();
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: chart.current.height }));
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
  useEffect(() => chart.current?.setData(data), [data]);
  return place;
}
