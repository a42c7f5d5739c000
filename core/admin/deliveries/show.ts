import { owned } from '../../contract/accounts.js';
import { type Route, route } from '../../contract/route.js';
import { answerFaults } from '../../delivery/answer-faults.js';
import { attemptSchema, deliveryStates, type ShownDelivery, shownDeliverySchema, withCurrentState } from '../../delivery/delivery.js';
import { deliveryDetailSchema } from '../../delivery/delivery-details.js';
import { WEBHOOK_SENDER } from '../../delivery/sender.js';
import { conversations } from '../../messaging/conversation.js';
import { numbers } from '../../messaging/number.js';
import { anyString, array, dateTime, integer, object, oneOf, string, withoutUndefined } from '../../shape.js';
import type { DeliveryParts, DeliveryServices } from './parts.js';

const params = object({ uuid: string() });
/** Milliseconds. `gaps_ms` are the delays before each retry; together they are counted from the first failure, and vary by a tenth. */
const retryPolicySchema = object({ deadline_ms: integer(), gaps_ms: array(integer()), window_ms: integer() });

/** Lists deliveries. */
export function listRoute(parts: DeliveryParts): Route {
  const { deliveries } = parts;
  return route({
    method: 'GET',
    path: '/deliveries',
    permission: 'deliveries.read',
    accounts: { number: owned.number, webhook: owned.webhook, message: owned.message, after: { ...owned.delivery, selects: false } },
    shards: {
      list: 'deliveries',
      by: ['created_at', 'uuid'],
      order: 'descending',
      limit: 100,
      after: { shownBy: '/deliveries', key: 'delivery', at: 'created_at' },
    },
    summary:
      'Lists deliveries, newest first, optionally of one webhook, number or message, or in one state. `before` is a date-time, `after` the uuid of the last delivery.',
    request: {
      query: object(
        {},
        {
          webhook: string(),
          number: string(),
          message: string(),
          state: oneOf(...deliveryStates),
          before: dateTime(),
          after: string(),
          limit: integer().min(1).max(500),
        },
      ),
    },
    responses: { 200: object({ deliveries: array(shownDeliverySchema) }) },
    async handler({ query: { limit = 100, before, ...by } }) {
      const until = before === undefined ? {} : { before: new Date(before).toISOString() };
      return { deliveries: await named(parts, await deliveries.list({ limit, ...withoutUndefined(by), ...until })) };
    },
  });
}

/** Lists attempts. */
export function attemptsRoute({ deliveries }: DeliveryParts): Route {
  return route({
    method: 'GET',
    path: '/attempts',
    permission: 'messages.read_bodies',
    accounts: { number: owned.number, webhook: owned.webhook },
    shards: { list: 'attempts', by: ['started_at'], order: 'descending', limit: 20 },
    summary: 'Lists the attempts of the newest deliveries, newest first, optionally of one webhook or number.',
    request: { query: object({}, { webhook: string(), number: string(), limit: integer().min(1).max(500) }) },
    responses: { 200: object({ attempts: array(attemptSchema) }) },
    handler: async ({ query: { limit = 20, ...by } }) => ({ attempts: await deliveries.attempts({ limit, ...withoutUndefined(by) }) }),
  });
}

/** Shows a delivery. */
export function showRoute(parts: DeliveryParts, { drivers }: Pick<DeliveryServices, 'drivers'>): Route {
  const { deliveries, deliveryDetails: details, senders, messages, numbers } = parts;
  const answerFault = answerFaults({ numbers, drivers });
  return route({
    method: 'GET',
    path: '/deliveries/{uuid}',
    permission: 'messages.read_bodies',
    accounts: { uuid: owned.delivery },
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
        delivery: (await named(parts, [delivery]))[0]!,
        ...shown,
        ...(details && { details: details.of(uuid, shown.attempts) }),
        ...(policy && { retry_policy: { deadline_ms: policy.deadlineMs, gaps_ms: [...policy.gapsMs], window_ms: policy.windowMs } }),
        ...(answer && { answer_fault: [`${answer.fault}.`, answer.fix].filter((part) => part !== undefined).join(' ') }),
      };
    },
  });
}

/** The deliveries in their current state, with the addresses of their numbers and contacts. */
async function named({ store, clock }: Pick<DeliveryParts, 'store' | 'clock'>, list: readonly ShownDelivery[]): Promise<ShownDelivery[]> {
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
    return withoutUndefined({
      ...withCurrentState(delivery, clock.now()),
      number_address: await once(number, () => addressOf(number)),
      contact,
    });
  });
  return Promise.all(named);
}
