import type { Source } from '../data/pages.js';
import type { ShownWebhook } from '../data/records.js';
import type { DeliveryAnswer, ShownDelivery } from '../pages/deliveries/records.js';
import { eachOf, everything, ifKept, saveCsv, savedText, saveLines, saveText } from './files.js';
import { exchangesOfDelivery, harOf } from './har.js';
import { texts } from './texts.js';

/** Their exchanges are read one by one. */
export const MOST_EXCHANGES = 500;

/** Saves deliveries: the marked ones, or all that match. */
export async function saveDeliveries(
  kind: 'har' | 'jsonl' | 'csv',
  source: Source<ShownDelivery>,
  webhooks: readonly ShownWebhook[],
  marked: readonly ShownDelivery[] | undefined,
  progress: (text: string) => void,
): Promise<string> {
  const urlOf = (webhook: string): string => webhooks.find(({ uuid }) => uuid === webhook)?.url ?? '';
  const limit = kind === 'csv' ? undefined : MOST_EXCHANGES;
  const { items, isCut } = marked ? { items: marked.slice(0, limit), isCut: false } : await everything(source, progress, limit);
  if (kind === 'csv') {
    saveCsv('deliveries', items, {
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
    });
    return savedText(items.length, texts.deliveries, isCut);
  }
  const whole = await eachOf(items, ({ uuid }) => ifKept<DeliveryAnswer>(`/deliveries/${uuid}`), progress);
  if (kind === 'jsonl') await saveLines('deliveries', whole.length, (at) => JSON.stringify(whole[at]));
  else {
    const exchanges = whole.toReversed().flatMap((one) => exchangesOfDelivery(one, urlOf(one.delivery.webhook)));
    exchanges.sort((a, b) => (a.at < b.at ? -1 : 1));
    saveText('deliveries', 'har', 'application/json', JSON.stringify(harOf(exchanges), null, 1));
  }
  return savedText(whole.length, texts.deliveries, isCut);
}
