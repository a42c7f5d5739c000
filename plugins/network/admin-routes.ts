import {
  boolean,
  Conflict,
  NotFound,
  type NumberRecord,
  object,
  type PluginContext,
  type Route,
  route,
  string,
  stringUpTo,
  unixSeconds,
  withoutUndefined,
} from '#core';
import { findMessage, messageSchema } from '#core/areas';
import { inboundOf } from './inbound.js';
import { DEFAULT_POLICY, policyOf } from './policy.js';
import { policies } from './records.js';
import { phoneMessageSchema, policyChangeSchema, policySchema, statusesSchema } from './schemas.js';

const params = object({ uuid: string() });
const shownPolicy = object({ policy: policySchema });

/** The phone side of the network: what contacts send, and what becomes of what they are sent. */
export function networkAdminRoutes(context: PluginContext, types: readonly string[]): Route[] {
  const { store, numbers, messages, clock } = context;

  async function ours(uuid: string): Promise<NumberRecord> {
    const number = await numbers.require(uuid);
    if (types.includes(number.type)) return number;
    throw new Conflict('not_on_the_network', `The local network carries no numbers of type '${number.type}'; this one is '${number.name}'`);
  }

  return [
    route({
      method: 'POST',
      path: '/network/numbers/{uuid}/messages',
      summary: 'A contact sends something to a number of the network.',
      request: { params, payload: phoneMessageSchema },
      responses: { 201: object({ message: messageSchema, is_duplicate: boolean() }) },
      async handler({ params: { uuid }, payload }, h) {
        const number = await ours(uuid);
        const inbound = await inboundOf(context, number, payload);
        const { message, isDuplicate } = await store.transaction((tx) => messages.received(tx, number, inbound));
        return h.response({ message, is_duplicate: isDuplicate }).code(201);
      },
    }),
    route({
      method: 'POST',
      path: '/network/messages/{message}/statuses',
      summary: 'The network reports what became of a message, named by its id or its uuid: any statuses, in the order given, of any time.',
      request: {
        params: object({ message: stringUpTo(256) }),
        payload: statusesSchema,
      },
      responses: { 200: object({ message: messageSchema }) },
      async handler({ params: { message: id }, payload: { statuses } }) {
        const message = await findMessage(context, id);
        if (message?.direction !== 'outbound' || message.external_id === undefined) throw new NotFound('message of the network', id);
        const number = await ours(message.number);
        const changed = await store.transaction(async (tx) => {
          for (const { status, timestamp = unixSeconds(clock.now()), errors } of statuses) {
            await messages.status(tx, number, {
              id: message.external_id!,
              recipient: message.to,
              status,
              timestamp,
              ...(errors && { errors }),
            });
          }
          return messages.current(tx, message.uuid);
        });
        return { message: changed! };
      },
    }),
    route({
      method: 'GET',
      path: '/network/numbers/{uuid}/policy',
      summary: 'Shows how the network treats the messages of a number.',
      request: { params },
      responses: { 200: shownPolicy },
      async handler({ params: { uuid } }) {
        await ours(uuid);
        return { policy: await store.transaction((tx) => policyOf(tx, uuid)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/network/numbers/{uuid}/policy',
      summary: 'Changes how the network treats the messages of a number: delays, receipts, order, and rules by which it fails.',
      request: { params, payload: policyChangeSchema },
      responses: { 200: shownPolicy },
      async handler({ params: { uuid }, payload }) {
        await ours(uuid);
        const change = withoutUndefined(payload);
        const policy = await store.transaction(async (tx) => {
          const changed = { ...(await policyOf(tx, uuid)), ...change };
          tx.in(policies).put({ ...changed, number: uuid });
          return changed;
        });
        return { policy };
      },
    }),
    route({
      method: 'DELETE',
      path: '/network/numbers/{uuid}/policy',
      summary: 'Lets the network treat the messages of a number as by default.',
      request: { params },
      responses: { 200: shownPolicy },
      async handler({ params: { uuid } }) {
        await ours(uuid);
        await store.transaction((tx) => tx.in(policies).delete(uuid));
        return { policy: DEFAULT_POLICY };
      },
    }),
  ];
}
