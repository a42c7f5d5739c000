import type { Contributions } from '#core';

type Defined = NonNullable<Contributions['metrics']>;
type Count = (labels: Readonly<Record<string, string>>) => void;

/** The counters of the plugin. They count from the start of the platform, and do nothing without an admin API. */
export interface Counters {
  /** A message that the network has accepted twice. */
  double: Count;
  /** A webhook call by what became of it: `taken`, `refused`. */
  webhook: Count;
  /** A part of a webhook that belongs to no connected number, or a status of no known message. */
  stray: Count;
  readonly define: Defined;
}

export function createCounters(): Counters {
  const none: Count = () => undefined;
  const counters = { double: none, webhook: none, stray: none };
  return Object.assign(counters, {
    define: ((metrics) => {
      const counter = (name: string, help: string, labels: string[]) => metrics.counter({ name: `cloud_api_${name}_total`, help, labels });
      counters.double = counter('doubles', 'Messages that the network accepted twice, because the outcome of the first send was unknown.', [
        'number_id',
      ]);
      counters.webhook = counter('webhooks', 'Calls of the network to the webhook.', ['result']);
      counters.stray = counter('strays', 'Events of the network that belong to no connected number or no known message.', ['kind']);
    }) satisfies Defined,
  });
}
