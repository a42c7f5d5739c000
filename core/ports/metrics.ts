/** What is counted and measured, for whoever watches many platforms at once. */

/** Values by the names of the labels. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Something that is counted. */
export interface MetricType {
  /** In the words of Prometheus: lower case, with the unit at the end, `_total` for what only grows. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Something that is measured, and counted by how large it is. */
export interface HistogramType extends MetricType {
  /** Upper bounds in growing order, in the unit of the name. */
  readonly buckets: readonly number[];
}

/** Adds one. */
export type Counter = (labels: MetricLabels) => void;
/** Adds a value. */
export type Histogram = (labels: MetricLabels, value: number) => void;
/** Says how much there is at the moment. */
export type Gauge = (labels: MetricLabels, value: number) => void;

/** Where numbers about the platform go. */
export interface Metrics {
  counter(type: MetricType): Counter;
  histogram(type: HistogramType): Histogram;
  /** `read` is asked whenever somebody looks; what it does not say any more is gone. */
  gauge(type: MetricType, read: (set: Gauge) => void): void;
  /** The same for what only grows: `read` says how much it is by now. */
  total(type: MetricType, read: (set: Gauge) => void): void;
  /** All of it as text for Prometheus (exposition format 0.0.4). */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}
