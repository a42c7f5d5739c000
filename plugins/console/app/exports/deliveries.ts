import type { Source } from '../data/pages.js';
import type { ShownWebhook } from '../data/records.js';
import type { DeliveryAnswer, ShownDelivery } from '../pages/deliveries/records.js';
import { ifKept, linesForm, type Progress, saveAll, tableForm } from './files.js';
import { exchangesOfDelivery, harForm } from './har.js';

const wholeOf = ({ uuid }: ShownDelivery): Promise<DeliveryAnswer | undefined> => ifKept<DeliveryAnswer>(`/deliveries/${uuid}`);

/** Saves deliveries: the marked ones, or all that match. */
export function saveDeliveries(
  kind: 'har' | 'jsonl' | 'csv',
  source: Source<ShownDelivery>,
  webhooks: readonly ShownWebhook[],
  marked: readonly ShownDelivery[] | undefined,
  progress: Progress,
): Promise<string> {
  const urlOf = (webhook: string): string => webhooks.find(({ uuid }) => uuid === webhook)?.url ?? '';
  const exported = { what: 'deliveries', source, marked, progress } as const;
  if (kind === 'har')
    return saveAll(
      exported,
      harForm(wholeOf, (one) => exchangesOfDelivery(one, urlOf(one.delivery.webhook))),
    );
  if (kind === 'jsonl') return saveAll(exported, linesForm(wholeOf));
  return saveAll(
    exported,
    tableForm<ShownDelivery>({
      time: (one) => one.created_at,
      state: (one) => one.state,
      reason: (one) => one.reason,
      attempts: (one) => one.attempts,
      ms: (one) => one.duration_ms,
      lane: (one) => one.lane,
      subscription: (one) => one.subscription,
      event: (one) => one.event,
      number: (one) => one.number_address,
      contact: (one) => one.contact,
      url: (one) => one.replay_url ?? urlOf(one.webhook),
      message: (one) => one.message,
      uuid: (one) => one.uuid,
    }),
  );
}
