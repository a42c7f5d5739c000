import type { Contributions } from '#core';

type Defined = NonNullable<Contributions['metrics']>;

/** The counters of the plugin. They count from the start of the platform, and do nothing without an admin API. */
export interface Counters {
  /** A call of Telegram to the webhook, by what became of it: `taken`, `refused`. */
  webhook: (result: 'taken' | 'refused') => void;
  /** A message in a group. */
  group: () => void;
  /** A tap on a button that is not known. */
  unknownTap: () => void;
  readonly define: Defined;
}

export function createCounters(): Counters {
  const counters: Omit<Counters, 'define'> = { webhook: () => undefined, group: () => undefined, unknownTap: () => undefined };
  return Object.assign(counters, {
    define: ((metrics) => {
      const webhooks = metrics.counter({ name: 'telegram_webhooks_total', help: 'Calls of Telegram to webhooks.', labels: ['result'] });
      const groups = metrics.counter({ name: 'telegram_group_messages_total', help: 'Messages in groups, which are not received.', labels: [] });
      const taps = metrics.counter({ name: 'telegram_unknown_taps_total', help: 'Taps on buttons that are not known.', labels: [] });
      counters.webhook = (result) => webhooks({ result });
      counters.group = () => groups({});
      counters.unknownTap = () => taps({});
    }) satisfies Defined,
  });
}
