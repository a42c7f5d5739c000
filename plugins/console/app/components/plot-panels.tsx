import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { locale, number } from '../../../../core/web/language.js';
import { callsOf, failedPercent, lanesText, msText, type PlottedTime, percentText } from '../data/plotted-times.js';
import { type Colour, chartBase, useChart } from './chart.js';
import { texts } from './plot-texts.js';

/** Pixels left of the charts, for the labels of their axes, and right of them. The style sheet has the same. */
const LEFT = 52;
const RIGHT = 12;
const TIME_AXIS = 24;
const LANES = ['low', 'default', 'high'] as const;
const LANE_COLOURS = { low: '--warn', default: '--accent', high: '--ok' } as const;
const LOG_TICKS = [1, 10, 100, 1_000, 10_000];
/** Whole minutes, and hours that divide a day. */
const TIME_STEPS = [60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600];
const MINUTE_S = 60;

interface Series {
  readonly colour: string;
  /** Empty for a continuous line; undefined for bars. */
  readonly dash?: readonly number[];
  readonly of: (time: PlottedTime, seconds: number) => number | null;
  /** The value of a time, in words; with its name if the chart has several. */
  readonly words: (time: PlottedTime, seconds: number) => string;
}

interface Panel {
  readonly title: string;
  readonly height: number;
  readonly series: readonly Series[];
  /** Changes of the vertical axis, which counts from 0 if not given. */
  readonly scale?: UPlot.Scale;
  readonly axis?: UPlot.Axis;
}

const perMinute = (count: number, seconds: number): number => Math.round((10 * count * MINUTE_S) / seconds) / 10;

function percentile(name: 'p50' | 'p95' | 'p99', colour: string, dash: readonly number[]): Series {
  const msOf = (time: PlottedTime): number | null => time[`${name}_ms`];
  return {
    ...{ colour, dash },
    of(time) {
      const ms = msOf(time);
      // A logarithm has no 0.
      return ms === null ? null : Math.max(1, ms);
    },
    words: (time) => `${name} ${msText(msOf(time))}`,
  };
}

const PANELS: readonly Panel[] = [
  {
    title: texts.callsPerMinute,
    height: 84,
    series: [
      {
        colour: '--accent',
        of: (time, seconds) => perMinute(callsOf(time), seconds),
        words: (time, seconds) => texts.rateOfAll(perMinute(callsOf(time), seconds)),
      },
      {
        colour: '--bad',
        of: ({ failed }, seconds) => perMinute(failed, seconds),
        words: ({ failed }, seconds) => texts.rateOfFailed(perMinute(failed, seconds)),
      },
    ],
  },
  {
    title: texts.failed,
    height: 64,
    series: [{ colour: '--bad', of: failedPercent, words: (time) => percentText(failedPercent(time)) }],
    scale: { range: [0, 100] },
    axis: { splits: () => [0, 50, 100], values: (_, splits) => splits.map((percent) => `${percent} %`) },
  },
  {
    title: texts.responseTime,
    height: 96,
    series: [percentile('p50', '--ok', []), percentile('p95', '--accent', [6, 3]), percentile('p99', '--warn', [2, 3])],
    scale: {
      distr: 3,
      range: (_, min, max) => [LOG_TICKS.findLast((tick) => tick < min) ?? 1, LOG_TICKS.find((tick) => tick > max) ?? 2 * (max || 50)],
    },
    axis: { splits: () => LOG_TICKS, values: (_, splits) => splits.map((ms) => (ms === null ? '' : msText(ms))) },
  },
  {
    title: texts.waitingDeliveries,
    height: 64,
    series: [{ colour: '--muted', of: ({ waiting }) => waiting, words: ({ waiting }) => number(waiting) }],
  },
  {
    title: texts.lane,
    height: 60,
    // Drawn as rows.
    series: [{ colour: '--line', of: () => null, words: lanesText }],
    scale: { range: [0, LANES.length] },
    axis: { splits: () => LANES.map((_, row) => row + 0.5), values: () => [...LANES], grid: { show: false } },
  },
];

interface PanelsProps {
  readonly times: readonly PlottedTime[];
  /** How long each time is. */
  readonly seconds: number;
}

/** The charts, one below the other, and the values of the time that the pointer or the arrow keys have chosen; else of the newest with a call. */
export default function PlotPanels({ times, seconds }: PanelsProps) {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const last = times.length - 1;
  const found = times.findIndex(({ at }) => at === chosen);
  // The newest time has just begun, and often has no call yet.
  const newest = times.findLastIndex((time) => callsOf(time) + time.waiting > 0);
  const index = found >= 0 ? found : newest >= 0 ? newest : last;
  const time = times[index]!;
  const moveTo = (next: number): void => choose(times[Math.min(last, Math.max(0, next))]!.at);
  const pointed = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLDivElement>): void => {
    const { left, right } = currentTarget.querySelector('.u-over')!.getBoundingClientRect();
    moveTo(Math.floor(((clientX - left) / (right - left)) * times.length));
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveTo(index - 1),
    ArrowDown: () => moveTo(index - 1),
    ArrowRight: () => moveTo(index + 1),
    ArrowUp: () => moveTo(index + 1),
    Home: () => moveTo(0),
    End: () => moveTo(last),
  };
  const pressed = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  const atText = timeText(time.at, seconds);
  const words = PANELS.map(({ title, series }) => `${title}: ${series.map((one) => one.words(time, seconds)).join(', ')}`);
  const marks = [...new Set(time.marks.map(({ text }) => text))].join(', ');
  const position = `calc(${LEFT}px + (100% - ${LEFT + RIGHT}px) * ${(index + 0.5) / times.length})`;
  return (
    <div
      class="plot-panels"
      dir="ltr"
      role="slider"
      tabIndex={0}
      aria-label={texts.timeOfValues}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index}
      aria-valuetext={[atText, ...words, marks].filter((text) => text !== '').join('. ')}
      onKeyDown={pressed}
      onPointerDown={pointed}
      onPointerMove={pointed}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && choose(undefined)}
    >
      <p class="plot-time">
        <strong>{texts.valuesAt(atText)}</strong> {marks}
      </p>
      {PANELS.map((panel, i) => (
        <PanelOf
          key={panel.title}
          panel={panel}
          times={times}
          seconds={seconds}
          time={time}
          at={i}
          cursor={found < 0 ? undefined : position}
        />
      ))}
    </div>
  );
}

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const clockMinutes = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const timeText = (at: string, seconds: number): string => (seconds < MINUTE_S ? clock : clockMinutes).format(new Date(at));

interface PanelProps extends PanelsProps {
  readonly panel: Panel;
  /** The one whose values are shown. */
  readonly time: PlottedTime;
  /** Its place among the charts. */
  readonly at: number;
  /** Where the line of the chosen time is. */
  readonly cursor: string | undefined;
}

function PanelOf({ panel, times, seconds, time, at, cursor }: PanelProps) {
  const { title, series } = panel;
  const newest = useRef({ times, seconds });
  newest.current = { times, seconds };
  const data = useMemo(
    () =>
      [
        times.map(({ at: begins }) => Date.parse(begins) / 1_000 + seconds / 2),
        ...series.map(({ of }) => times.map((one) => of(one, seconds))),
      ] as UPlot.AlignedData,
    [times, seconds],
  );
  const place = useChart((colour) => optionsOf(panel, at, colour, () => newest.current), data);
  return (
    <div class="plot">
      <p class={series.length > 1 ? 'has-keys' : ''}>
        <strong>{title}</strong>
        {series.map(({ colour, dash, words }, i) => (
          <span key={i} class={series.length === 1 ? '' : `plot-key ${dash ? `dash-${dash[0] ?? 0}` : 'bar'} key${colour}`}>
            {words(time, seconds)}
          </span>
        ))}
      </p>
      <div class="plot-area">
        <div ref={place} class="plot-canvas" />
        {cursor !== undefined && <div class="plot-cursor" style={{ left: cursor }} />}
      </div>
    </div>
  );
}

function optionsOf({ height, series, scale, axis: own, title }: Panel, at: number, colour: Colour, newest: () => PanelsProps) {
  const { axis, shared } = chartBase(colour);
  const isLast = at === PANELS.length - 1;
  const laneColours = LANES.map((lane) => colour(LANE_COLOURS[lane]));
  const [markColour, bars] = [colour('--muted'), UPlot.paths.bars!({ size: [0.8, 40] })];
  const range = (): [number, number] => {
    const { times, seconds } = newest();
    return [Date.parse(times[0]!.at) / 1_000, Date.parse(times.at(-1)!.at) / 1_000 + seconds];
  };
  const options: Omit<UPlot.Options, 'width'> = {
    ...shared,
    height: height + (isLast ? TIME_AXIS : 0),
    padding: [8, RIGHT, isLast ? 0 : 6, 0],
    scales: { x: { range }, y: scale ?? { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [
      {
        ...axis,
        space: 60,
        incrs: TIME_STEPS,
        size: isLast ? TIME_AXIS : 0,
        values: isLast ? '{HH}:{mm}' : (_, splits) => splits.map(() => ''),
      },
      { ...axis, space: 24, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000, 50_000], ...own, size: LEFT },
    ],
    series: [
      {},
      ...series.map(({ colour: of, dash }) => {
        const stroke = colour(of);
        return dash
          ? { stroke, dash: [...dash], width: 2, points: { show: true, size: 4, fill: stroke } }
          : { stroke, fill: stroke, width: 0, paths: bars, points: { show: false } };
      }),
    ],
    hooks: {
      // Below the data.
      drawClear: [(chart) => drawMarks(chart, newest(), markColour, at === 0)],
      draw: title === texts.lane ? [(chart) => drawLanes(chart, newest(), laneColours)] : [],
    },
  };
  return options;
}

/** A row for each lane; darker where more of the attempts of a time used it. */
function drawLanes({ ctx, valToPos }: UPlot, { times, seconds }: PanelsProps, colours: readonly string[]): void {
  ctx.save();
  for (const { at, lanes } of times) {
    const all = lanes.high + lanes.default + lanes.low;
    const begins = Date.parse(at) / 1_000;
    const [left, right] = [valToPos(begins, 'x', true), valToPos(begins + seconds, 'x', true)];
    LANES.forEach((lane, row) => {
      if (lanes[lane] === 0) return;
      const [top, bottom] = [valToPos(row + 0.85, 'y', true), valToPos(row + 0.15, 'y', true)];
      ctx.globalAlpha = 0.4 + (0.6 * lanes[lane]) / all;
      ctx.fillStyle = colours[row]!;
      ctx.fillRect(left, top, right - left, bottom - top);
    });
  }
  ctx.restore();
}

/** A dashed line at each time with marks, in the first chart with a head. */
function drawMarks({ ctx, bbox, valToPos }: UPlot, { times }: PanelsProps, colour: string, hasHead: boolean): void {
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { marks } of times) {
    if (marks.length === 0) continue;
    const x = valToPos(Date.parse(marks[0]!.at) / 1_000, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (!hasHead) continue;
    ctx.beginPath();
    ctx.moveTo(x - 4 * ratio, bbox.top - 6 * ratio);
    ctx.lineTo(x + 4 * ratio, bbox.top - 6 * ratio);
    ctx.lineTo(x, bbox.top);
    ctx.fill();
  }
  ctx.restore();
}
