import { type Route, route } from '../contract/route.js';
import { answerFaults } from '../delivery/answer-faults.js';
import { type DeliveryFilter, inBulk } from '../delivery/bulk.js';
import type { Deliveries } from '../delivery/deliveries.js';
import {
  attemptSchema,
  type DeliveryOutbox,
  type DeliveryRecord,
  deliverySchema,
  deliveryStates,
  type ShownDelivery,
  shownDeliverySchema,
  withCurrentState,
} from '../delivery/delivery.js';
import { type DeliveryDetails, deliveryDetailSchema } from '../delivery/delivery-details.js';
import { HIGH_UP_TO_MS, type Lanes, LOW_FROM_MS, SAMPLES } from '../delivery/lanes.js';
import { noResponses } from '../delivery/no-response.js';
import { type DeliverySender, WEBHOOK_SENDER } from '../delivery/sender.js';
import { signatureOf } from '../delivery/signature-steps.js';
import { webhooks } from '../delivery/webhook.js';
import type { Webhooks } from '../delivery/webhooks.js';
import { Conflict, NotFound } from '../errors.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import { conversations } from '../messaging/conversation.js';
import type { Messages } from '../messaging/messages.js';
import { numbers } from '../messaging/number.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import {
  anyString,
  array,
  boolean,
  dateTime,
  httpUrl,
  integer,
  nullable,
  number,
  object,
  oneOf,
  string,
  withoutUndefined,
} from '../shape.js';

/** Limits of a bulk call, in deliveries. */
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
const MAX_REPLAYS = 100;

const params = object({ uuid: string() });
const filter = {
  webhook: string(),
  number: string(),
  reason: string(),
  from: dateTime(),
  to: dateTime(),
  limit: integer().min(1).max(MAX_LIMIT),
};
/** The largest body of an edited delivery, with its JSON around it. */
const MAX_EDIT_BYTES = 4 * 1024 * 1024;

interface DeliveryParts {
  readonly store: Database;
  readonly outbox: DeliveryOutbox;
  readonly deliveries: Deliveries;
  readonly deliveryDetails: DeliveryDetails | undefined;
  readonly webhooks: Pick<Webhooks, 'assertCallable' | 'require' | 'signingKey'>;
  readonly senders: ReadonlyMap<string, DeliverySender>;
  readonly clock: Clock;
  readonly messages: Pick<Messages, 'get'>;
  readonly numbers: Pick<Numbers, 'get'>;
}

interface DeliveryServices {
  readonly lanes: Pick<Lanes, 'since'>;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
}

const oneDelivery = object({ delivery: deliverySchema });

/** Milliseconds. `gaps_ms` are the delays before each retry; together they are counted from the first failure, and vary by a tenth. */
const retryPolicySchema = object({ deadline_ms: integer(), gaps_ms: array(integer()), window_ms: integer() });

/** `counted_ms` is what counts for the lane: without a response, the whole deadline. */
const responseSchema = object({
  delivery: string(),
  at: string(),
  status: integer(),
  no_response: nullable(oneOf(...noResponses)),
  error_code: nullable(string()),
  duration_ms: nullable(number()),
  counted_ms: number(),
});

export function deliveryRoutes(parts: DeliveryParts, { lanes, drivers }: DeliveryServices): Route[] {
  const { store, outbox, deliveries, deliveryDetails: details, webhooks: hooks, senders, clock, messages } = parts;
  const answerFault = answerFaults({ numbers: parts.numbers, drivers });
  const now = <D extends DeliveryRecord>(delivery: D): D => withCurrentState(delivery, clock.now());

  /** The deliveries in their current state, with the addresses of their numbers and contacts. */
  async function named(list: readonly ShownDelivery[]): Promise<ShownDelivery[]> {
    const known = new Map<string, Promise<string | undefined>>();
    const once = (uuid: string, find: () => Promise<string | undefined>): Promise<string | undefined> => {
      const found = known.get(uuid) ?? find();
      known.set(uuid, found);
      return found;
    };
    const ownerOf = async (uuid: string) => (await store.open(conversations).get(uuid))?.owner;
    const addressOf = async (uuid: string) => (await store.open(numbers).get(uuid))?.address;
    const named = list.map(async (delivery) => {
      const { number, conversation, recipient } = delivery;
      const contact = recipient ?? (conversation && (await once(conversation, () => ownerOf(conversation))));
      return withoutUndefined({ ...now(delivery), number_address: await once(number, () => addressOf(number)), contact });
    });
    return Promise.all(named);
  }

  return [
    route({
      method: 'GET',
      path: '/deliveries',
      shards: {
        list: 'deliveries',
        by: ['created_at', 'uuid'],
        order: 'descending',
        limit: 100,
        after: { shownBy: '/deliveries', key: 'delivery', at: 'created_at' },
      },
      summary:
        'Lists deliveries, newest first, optionally of one webhook, number or message, or in one state. `before` is a date-time, `after` the uuid of the last delivery of the previous page.',
      request: {
        query: object(
          {},
          {
            ...{ webhook: string(), number: string(), message: string(), state: oneOf(...deliveryStates) },
            ...{ before: dateTime(), after: string(), limit: integer().min(1).max(500) },
          },
        ),
      },
      responses: { 200: object({ deliveries: array(shownDeliverySchema) }) },
      async handler({ query: { limit = 100, before, ...by } }) {
        const until = before === undefined ? {} : { before: new Date(before).toISOString() };
        return { deliveries: await named(await deliveries.list({ limit, ...withoutUndefined(by), ...until })) };
      },
    }),
    route({
      method: 'GET',
      path: '/attempts',
      shards: { list: 'attempts', by: ['started_at'], order: 'descending', limit: 20 },
      summary: 'Lists the attempts of the newest deliveries, newest first, optionally of one webhook or number.',
      request: { query: object({}, { webhook: string(), number: string(), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ attempts: array(attemptSchema) }) },
      handler: async ({ query: { limit = 20, ...by } }) => ({ attempts: await deliveries.attempts({ limit, ...withoutUndefined(by) }) }),
    }),
    route({
      method: 'GET',
      path: '/deliveries/{uuid}',
      summary:
        'Shows a delivery with its body, every attempt, and its retry policy. If deliveries are recorded, `details` has the exchanges of the newest attempts.',
      request: { params },
      responses: {
        200: object(
          { delivery: shownDeliverySchema, body: anyString(), attempts: array(attemptSchema) },
          {
            details: array(deliveryDetailSchema),
            retry_policy: retryPolicySchema,
            answer_fault: anyString().description(
              'Why the response with which a connector accepted the message is of no use, such as a response without an id of the message, and what to do.',
            ),
          },
        ),
      },
      async handler({ params: { uuid } }) {
        const { delivery, ...shown } = await deliveries.show(uuid);
        const message = delivery.message === undefined ? undefined : await messages.get(delivery.message);
        const answer = await answerFault(delivery, message, shown.attempts.at(-1));
        // The plugin of another sender may not be loaded.
        const policy = senders.get(delivery.sender ?? WEBHOOK_SENDER)?.policy;
        return {
          ...{ delivery: (await named([delivery]))[0]!, ...shown },
          ...(details && { details: details.of(uuid, shown.attempts) }),
          ...(policy && { retry_policy: { deadline_ms: policy.deadlineMs, gaps_ms: [...policy.gapsMs], window_ms: policy.windowMs } }),
          ...(answer && { answer_fault: [`${answer.fault}.`, answer.fix].filter((part) => part !== undefined).join(' ') }),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/redeliver',
      shards: 'each',
      summary: 'Redelivers many deliveries, oldest first: by default all that were cancelled or dropped, otherwise those in `states`.',
      request: {
        payload: object(
          {},
          {
            ...filter,
            states: array(oneOf('retry_wait', 'delivered', 'cancelled', 'dropped'))
              .min(1)
              .unique(),
          },
        ),
      },
      responses: { 200: object({ redelivered: integer(), deliveries: array(string()), more: boolean() }) },
      async handler({ payload: { states = ['cancelled', 'dropped'], limit = DEFAULT_LIMIT, ...about } }) {
        await assertKnown(about);
        const bulk = { filter: filterOf(about, states), limit };
        const { deliveries: done, more } = await inBulk({ store, outbox, clock }, bulk, (tx, uuid) => deliveries.redeliver(tx, uuid));
        return { redelivered: done.length, deliveries: done, more };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/cancel',
      shards: 'each',
      summary: 'Cancels many unsettled deliveries, oldest first.',
      keepsNothing: true,
      request: {
        payload: object(
          {},
          {
            ...filter,
            states: array(oneOf('queued', 'sending', 'retry_wait'))
              .min(1)
              .unique(),
          },
        ),
      },
      responses: { 200: object({ cancelled: integer(), deliveries: array(string()), more: boolean() }) },
      async handler({ payload: { states = ['queued', 'retry_wait'], limit = DEFAULT_LIMIT, ...about } }) {
        await assertKnown(about);
        const bulk = { filter: filterOf(about, states), limit };
        const { deliveries: done, more } = await inBulk({ store, outbox, clock }, bulk, (tx, uuid) => deliveries.cancel(tx, uuid));
        return { cancelled: done.length, deliveries: done, more };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/redeliver',
      summary:
        'Redelivers a delivery, starting with its first attempt. With `?no_retry=true` a failed attempt is not retried. With `body`, `url`, `keep_signature` or `times` the original stays as it is, and `times` copies are sent, which only their records mark, in `replay_of`.',
      maxBytes: MAX_EDIT_BYTES,
      request: {
        params,
        query: object({}, { no_retry: boolean() }),
        // Without changes the call needs no body.
        payload: nullable(
          object(
            {},
            {
              /** The body to send, byte by byte. */
              body: string(),
              url: httpUrl(),
              /** Sends the signature of the original body. */
              keep_signature: boolean(),
              times: integer().min(1).max(MAX_REPLAYS),
            },
          ),
        ),
      },
      responses: { 200: object({ delivery: deliverySchema }, { replays: array(string()) }) },
      async handler({ params: { uuid }, query: { no_retry: noRetry = false }, payload }) {
        const { body, url, keep_signature: keeps = false, times } = payload ?? {};
        if (body === undefined && url === undefined && !keeps && times === undefined)
          return { delivery: await store.transaction((tx) => deliveries.redeliver(tx, uuid, { noRetry })) };
        if (url !== undefined) hooks.assertCallable(url);
        const signature = keeps ? await signatureBefore(uuid) : undefined;
        const copies = await store.transaction(async (tx) => {
          const queued: DeliveryRecord[] = [];
          for (let n = 0; n < (times ?? 1); n++) queued.push(await deliveries.replay(tx, uuid, { body, url, signature, noRetry }));
          return queued;
        });
        return { delivery: copies[0]!, replays: copies.map((copy) => copy.uuid) };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/retry',
      summary: 'Makes the scheduled retry of a delivery due now; the next one follows after its usual gap. Without a scheduled retry, 409.',
      keepsNothing: true,
      request: { params },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid } }) => ({ delivery: now(await store.transaction((tx) => deliveries.retryNow(tx, uuid))) }),
    }),
    route({
      method: 'GET',
      path: '/webhooks/{uuid}/responses',
      summary:
        'Lists the newest twenty responses of a webhook, oldest first, with the time that each counts for the lane, and the response times since the lane was last decided.',
      request: { params },
      responses: {
        200: object({
          responses: array(responseSchema),
          /** The next decision: how many of the needed response times there are, and their mean. */
          next: object({ count: integer(), of: integer(), mean_ms: nullable(number()) }),
          /** A mean up to `high_up_to_ms` gives the lane high, from `low_from_ms` on low, otherwise default. */
          thresholds: object({ high_up_to_ms: integer(), low_from_ms: integer() }),
        }),
      },
      async handler({ params: { uuid } }) {
        await hooks.require(uuid);
        const { count, sumMs } = lanes.since(uuid);
        const deadlineMs = senders.get(WEBHOOK_SENDER)!.policy.deadlineMs;
        const attempts = await deliveries.sentTo(uuid, SAMPLES);
        return {
          responses: attempts.map(({ delivery, started_at: at, status, no_response, error_code, duration_ms, response }) => ({
            ...{ delivery, at, status, no_response, error_code, duration_ms },
            counted_ms: response === null ? deadlineMs : (duration_ms ?? deadlineMs),
          })),
          next: { count, of: SAMPLES, mean_ms: count === 0 ? null : sumMs / count },
          thresholds: { high_up_to_ms: HIGH_UP_TO_MS, low_from_ms: LOW_FROM_MS },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/cancel',
      summary: 'Cancels an unsettled delivery.',
      keepsNothing: true,
      request: { params },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid } }) => ({ delivery: await store.transaction((tx) => deliveries.cancel(tx, uuid)) }),
    }),
  ];

  /** The signature of the stored body with the current secret; links to media files, which change with each attempt, are not in it. */
  async function signatureBefore(uuid: string): Promise<string> {
    const { delivery, body } = await deliveries.show(uuid);
    const secret = await hooks.signingKey(delivery.webhook).read();
    if (secret === undefined) throw new Conflict('webhook_removed', 'The webhook of this delivery was deleted, and its secret with it');
    return signatureOf(secret, body);
  }

  /** Refuses unknown uuids: a typing error gets 404 instead of a success without deliveries. @throws NotFound */
  async function assertKnown({ webhook, number }: Pick<BulkFilter, 'webhook' | 'number'>): Promise<void> {
    if (webhook !== undefined && !(await store.open(webhooks).get(webhook))) await assertHasDeliveries('webhook', webhook);
    if (number !== undefined && !(await store.open(numbers).get(number))) await assertHasDeliveries('number', number);
  }

  /** Deliveries can outlive their webhook or number. */
  async function assertHasDeliveries(noun: 'webhook' | 'number', uuid: string): Promise<void> {
    if ((await deliveries.list({ [noun]: uuid, limit: 1 })).length === 0) throw new NotFound(noun, uuid);
  }
}

interface BulkFilter {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function filterOf({ from, to, ...about }: BulkFilter, states: readonly string[]): DeliveryFilter {
  return {
    ...withoutUndefined(about),
    states: states as DeliveryFilter['states'],
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
  };
}
