import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricLabels, Metrics, MetricType } from '../ports/metrics.js';

/** Metrics of one platform, in a registry of its own, so that platforms in one process do not collide. */
export function prometheus(): Metrics {
  const registry = new Registry();
  const configuration = ({ name, help, labels = [] }: MetricType) => ({ name, help, labelNames: [...labels], registers: [registry] });
  return {
    counter(type) {
      const counter = new Counter(configuration(type));
      const child = byLabels((labels) => counter.labels(labels));
      return (labels) => child(labels).inc();
    },
    histogram(type) {
      const histogram = new Histogram({ ...configuration(type), buckets: [...type.buckets] });
      const child = byLabels((labels) => histogram.labels(labels));
      return (labels, value) => child(labels).observe(value);
    },
    gauge(type, read) {
      new Gauge({
        ...configuration(type),
        collect() {
          this.reset();
          read((labels, value) => this.labels(labels).set(value));
        },
      });
    },
    total(type, read) {
      new Counter({
        ...configuration(type),
        collect() {
          this.reset();
          read((labels, value) => this.labels(labels).inc(value));
        },
      });
    },
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** Children by the values of their labels, in the order of the labels. */
interface Children<T> {
  child: T | undefined;
  readonly next: Map<string, Children<T>>;
}

/**
 * Caches the child of each label set, because the same few sets recur with every delivery. A map per label: a key made of all values
 * would be a new string each time, whose hash has to be computed.
 */
function byLabels<T>(make: (labels: Record<string, string>) => T): (labels: MetricLabels) => T {
  const all: Children<T> = { child: undefined, next: new Map() };
  return (labels) => {
    let found = all;
    for (const name in labels) {
      const value = labels[name]!;
      let next = found.next.get(value);
      if (!next) {
        next = { child: undefined, next: new Map() };
        found.next.set(value, next);
      }
      found = next;
    }
    found.child ??= make({ ...labels });
    return found.child;
  };
}
