/** Metrics in the model of Prometheus. */

/** Label values by label name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A counter or gauge. */
export interface MetricType {
  /** A Prometheus name: lower case, unit at the end, `_total` for values that only grow. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A histogram. */
export interface HistogramType extends MetricType {
  /** Upper bounds in ascending order, in the unit of the name. */
  readonly buckets: readonly number[];
}

/** Adds one. */
export type Counter = (labels: MetricLabels) => void;
/** Records a value. */
export type Histogram = (labels: MetricLabels, value: number) => void;
/** Sets the current value. */
export type Gauge = (labels: MetricLabels, value: number) => void;

/** Registers the metrics of a plugin. */
export type PluginMetrics = Pick<Metrics, 'counter' | 'histogram' | 'gauge' | 'total'>;

/** Registers metrics and renders them. */
export interface Metrics {
  /** Declares a counter. The function that it returns adds one. */
  counter(type: MetricType): Counter;
  /** Declares a histogram. The function that it returns records a value. */
  histogram(type: HistogramType): Histogram;
  /** `read` runs on every scrape. A label set that it does not set again disappears. */
  gauge(type: MetricType, read: (set: Gauge) => void): void;
  /** Like `gauge`, for values that only grow: `read` sets the current total. */
  total(type: MetricType, read: (set: Gauge) => void): void;
  /** All metrics in the Prometheus text format (exposition format 0.0.4). */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Declares counters that a plugin creates before metrics exist. They count from the start of the platform, and do nothing without an admin API. */
export function createCounters<N extends string>(types: Readonly<Record<N, MetricType>>) {
  const names = Object.keys(types) as N[];
  const none: Counter = () => undefined;
  const counters = Object.fromEntries(names.map((name) => [name, none])) as Record<N, Counter>;
  return Object.assign(counters, {
    /** For `metrics` of the contributions. */
    define(metrics: Pick<Metrics, 'counter'>): void {
      for (const name of names) Object.assign(counters, { [name]: metrics.counter(types[name]) });
    },
  });
}
