import { anyValue, type DeliveryRecord, type DeliveryRequest, definePlugin, type Plugin, record } from '#core';
import type { Ids } from '#core/ports';
import {
  type Answer,
  ManualClock,
  type RecordedCall,
  type ScriptedAnswer,
  ScriptedHttp,
  SeededIds,
  startPlatform,
  type Tap,
  type TestPlatform,
  type TestPlatformOptions,
} from '#core/testing';

export const ENDPOINT = 'https://endpoint.test/hook';
export const BODY = {
  preview_url: false,
  recipient_type: 'individual',
  text: { body: 'text message content' },
  to: 'whatsapp_id',
  type: 'text',
};
export const SECRET = 'REPLACE_ME';

/** With this random value retries are due exactly 17, 36, 60, 91 and 138 seconds after the first failure. */
const EXACTLY = 10 / 14;

/** A platform without plugins, with one webhook. */
export interface WebhookPlatform extends TestPlatform {
  readonly webhook: string;
  readonly folder: string | undefined;
  post(about?: Partial<DeliveryRequest>): Promise<DeliveryRecord>;
  /** The current state. */
  delivery(uuid: string): Promise<DeliveryRecord>;
  attempts(uuid: string): Promise<Awaited<ReturnType<TestPlatform['platform']['deliveries']['show']>>['attempts']>;
  redeliver(uuid: string): Promise<Answer>;
  cancel(uuid: string): Promise<Answer>;
  change(webhook: object): Promise<unknown>;
  calls(): RecordedCall[];
  /** Seconds from the start of the test to each request. */
  times(): number[];
}

export interface WebhookPlatformOptions extends Partial<TestPlatformOptions> {
  readonly chance?: number;
  readonly seed?: string;
  /** The webhook of an earlier platform on the same store. */
  readonly webhook?: string;
  /** The response of the endpoint from the start. */
  readonly answers?: readonly [ScriptedAnswer, ...ScriptedAnswer[]];
}

/** Declares that deliveries may have any body: these tests are about sending, not about the content. */
export const anyBody = (): Plugin =>
  definePlugin({
    name: 'any-body',
    version: '1.0.0',
    register: () => ({ payloads: [{ name: 'anything', summary: 'Anything.', subscription: 'network', body: record(anyValue()) }] }),
  })();

export async function startWithWebhook(
  t: Tap,
  { chance = EXACTLY, seed = 'letters', webhook, answers, ports, ...options }: WebhookPlatformOptions = {},
): Promise<WebhookPlatform> {
  const seeded = new SeededIds(seed);
  const ids: Ids = {
    uuid: () => seeded.uuid(),
    digits: (count) => seeded.digits(count),
    secret: () => SECRET,
    random: () => chance,
  };
  const clock = ports?.clock instanceof ManualClock ? ports.clock : new ManualClock();
  const http = new ScriptedHttp({ clock });
  if (answers) http.answer(ENDPOINT, ...answers);
  const test = await startPlatform(t, { plugins: [], ...options, ports: { ids, clock, http, ...ports } });
  const { platform, admin } = test;
  const start = clock.now().getTime();
  const { store, deliveries } = platform;
  const uuid = webhook ?? (await newWebhook(platform));
  let posted = 0;
  return {
    ...test,
    webhook: uuid,
    folder: options.dataDir,
    post: (about = {}) =>
      store.transaction(async (tx) => {
        const webhook = (await platform.webhooks.get(uuid))!;
        return deliveries.post(tx, { event: `event-${seed}-${++posted}`, webhook, kind: 'network', body: BODY, ...about });
      }),
    delivery: async (uuid) => (await deliveries.show(uuid)).delivery,
    attempts: async (uuid) => (await deliveries.show(uuid)).attempts,
    redeliver: (uuid) => admin('POST', `/deliveries/${uuid}/redeliver`),
    cancel: (uuid) => admin('POST', `/deliveries/${uuid}/cancel`),
    change: (about) => store.transaction((tx) => platform.webhooks.update(tx, uuid, about)),
    calls: () => http.callsTo(ENDPOINT),
    times: () => http.callsTo(ENDPOINT).map(({ at }) => (at.getTime() - start) / 1000),
  };
}

async function newWebhook({ store, numbers, webhooks }: TestPlatform['platform']): Promise<string> {
  const { webhook } = await store.transaction((tx) => {
    const number = numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
    return webhooks.create(tx, { number: number.uuid, url: ENDPOINT, name: 'Owner', subscriptions: ['network'] });
  });
  return webhook.uuid;
}
