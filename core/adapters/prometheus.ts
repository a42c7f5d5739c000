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

/** Caches the child of each label set, because the same few sets recur with every delivery. */
function byLabels<T>(make: (labels: Record<string, string>) => T): (labels: MetricLabels) => T {
  const known = new Map<string, T>();
  return (labels) => {
    let key = '';
    for (const name in labels) key += `${labels[name]}\n`;
    let found = known.get(key);
    if (!found) {
      found = make({ ...labels });
      known.set(key, found);
    }
    return found;
  };
}
