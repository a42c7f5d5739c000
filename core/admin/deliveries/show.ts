import { owned } from '../../contract/accounts.js';
import { type Route, route } from '../../contract/route.js';
import type { SearchPlace } from '../../contract/search.js';
import { answerFaults } from '../../delivery/answer-faults.js';
import { attemptSchema, deliveryStates, type ShownDelivery, shownDeliverySchema, withCurrentState } from '../../delivery/delivery.js';
import { deliveryDetailSchema } from '../../delivery/delivery-details.js';
import { deliveryPage, shownDelivery } from '../../delivery/delivery-pages.js';
import { WEBHOOK_SENDER } from '../../delivery/sender.js';
import { operatorOf } from '../../kernel/http/operators.js';
import { conversations } from '../../messaging/conversation.js';
import { numbers } from '../../messaging/number.js';
import { anyString, array, dateTime, integer, object, oneOf, string, withoutUndefined } from '../../shape.js';
import { invalid, pageFields, pageOf, placeOf } from '../search/place.js';
import { queryOf } from '../search/query.js';
import type { DeliveryParts, DeliveryServices } from './parts.js';
import { BODIES, deliveryText } from './text.js';

/** How many deliveries one call looks at; with a text, whose bodies it reads. */
const MOST_LOOKED_AT = 5_000;
const MOST_TEXTS = 500;
const MAX_TEXT = 200;

const params = object({ uuid: string() });
/** Milliseconds. `gaps_ms` are the delays before each retry; together they are counted from the first failure, and vary by a tenth. */
const retryPolicySchema = object({ deadline_ms: integer(), gaps_ms: array(integer()), window_ms: integer() });

/** Lists deliveries. */
export function listRoute(parts: DeliveryParts): Route {
  const { settledDeliveries: settled, clock } = parts;
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
      pages: true,
      after: { shownBy: '/deliveries', key: 'delivery', at: 'created_at' },
    },
    summary:
      'Lists deliveries, newest first, optionally of one webhook, number or message, in one state, with one reason, from a time on, of a contact by its address, or with all words of `text` in them. `before` is a date-time or the `next` of an earlier page, `after` the uuid of the last delivery. One call looks at 5,000 deliveries, with `text` at 500: older than `looked_back_to` were not looked at; null if all were.',
    request: {
      query: object(
        {},
        {
          webhook: string(),
          number: string(),
          message: string(),
          state: oneOf(...deliveryStates),
          reason: string(),
          contact: string(),
          text: string().max(MAX_TEXT),
          from: dateTime(),
          before: string(),
          after: string(),
          limit: integer().min(1).max(500),
        },
      ),
    },
    responses: { 200: object({ deliveries: array(shownDeliverySchema), ...pageFields }) },
    async handler({ query: { limit = 100, from, before, text, contact, ...by }, request }) {
      const query = text === undefined ? undefined : queryOf(text);
      if (text !== undefined && !query) throw invalid('text', 'text must have 1 to 12 words');
      const names = namesOf(parts);
      const { may } = operatorOf(request);
      const { found, rest } = await deliveryPage(
        settled,
        {
          ...withoutUndefined(by),
          ...(from !== undefined && { from: new Date(from).toISOString() }),
          ...(before !== undefined && beforePlace(placeOf(before))),
          limit,
          most: query ? MOST_TEXTS : MOST_LOOKED_AT,
          accepts: async (entry) =>
            (contact === undefined || isSameAddress(contact, await names.contact(entry.record))) &&
            (!query || query.excerptOf(await deliveryText(settled, entry, may(BODIES))) !== undefined),
        },
        clock.now(),
      );
      return {
        deliveries: await named(parts, names, found.map(shownDelivery)),
        ...pageOf(rest && { at: rest.record.created_at, id: rest.record.uuid }),
      };
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
        delivery: (await named(parts, namesOf(parts), [delivery]))[0]!,
        ...shown,
        ...(details && { details: details.of(uuid, shown.attempts) }),
        ...(policy && { retry_policy: { deadline_ms: policy.deadlineMs, gaps_ms: [...policy.gapsMs], window_ms: policy.windowMs } }),
        ...(answer && { answer_fault: [`${answer.fault}.`, answer.fix].filter((part) => part !== undefined).join(' ') }),
      };
    },
  });
}

const beforePlace = ({ at, id }: SearchPlace) => (id === undefined ? { before: at } : { place: { at, id } });

/** The addresses of numbers and contacts, each read once. */
function namesOf({ store }: Pick<DeliveryParts, 'store'>) {
  const known = new Map<string, Promise<string | undefined>>();
  const once = (uuid: string, find: () => Promise<string | undefined>): Promise<string | undefined> => {
    const found = known.get(uuid) ?? find();
    known.set(uuid, found);
    return found;
  };
  return {
    number: (uuid: string) => once(uuid, async () => (await store.open(numbers).get(uuid))?.address),
    contact: async ({ recipient, conversation }: ShownDelivery) =>
      recipient ?? (conversation && once(conversation, async () => (await store.open(conversations).get(conversation))?.owner)),
  };
}

/** Phone numbers are written with and without a plus. */
const isSameAddress = (asked: string, address = ''): boolean => asked.trim().replace(/^\+/, '') === address.replace(/^\+/, '');

/** The deliveries in their current state, with the addresses of their numbers and contacts. */
const named = (
  { clock }: Pick<DeliveryParts, 'clock'>,
  names: ReturnType<typeof namesOf>,
  list: readonly ShownDelivery[],
): Promise<ShownDelivery[]> =>
  Promise.all(
    list.map(async (delivery) =>
      withoutUndefined({
        ...withCurrentState(delivery, clock.now()),
        number_address: await names.number(delivery.number),
        contact: await names.contact(delivery),
      }),
    ),
  );
