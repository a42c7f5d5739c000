import {
  boolean,
  Conflict,
  NotFound,
  type NumberRecord,
  object,
  owned,
  type PluginContext,
  type Route,
  route,
  string,
  stringUpTo,
  unixSeconds,
  withoutUndefined,
} from '#core';
import { findMessage, messageSchema, networkId } from '#core/messaging';
import { inboundOf } from './inbound.js';
import { policiesWith } from './policy.js';
import { policies } from './records.js';
import { type Policy, phoneMessageSchema, policyChangeSchema, policySchema, statusesSchema } from './schemas.js';

const params = object({ uuid: string() });
const policyResponse = object({ policy: policySchema });

/** Admin routes that simulate the network: messages from contacts, statuses, and the policy of a number. */
export function networkAdminRoutes(context: PluginContext, types: readonly string[], initial: Policy): Route[] {
  const policyOf = policiesWith(initial);
  const { store, numbers, contacts, messages, clock } = context;

  async function requireNetworkNumber(uuid: string): Promise<NumberRecord> {
    const number = await numbers.require(uuid);
    if (types.includes(number.type)) return number;
    throw new Conflict(
      'not_on_the_network',
      `Number '${number.name}' is of type '${number.type}'; the local network serves only ${types.map((type) => `'${type}'`).join(', ')}`,
    );
  }

  return [
    route({
      method: 'POST',
      path: '/network/numbers/{uuid}/messages',
      permission: 'network.test',
      accounts: { uuid: owned.number },
      summary: 'Simulates a message from a contact to a number of the network.',
      request: { params, payload: phoneMessageSchema },
      responses: { 201: object({ message: messageSchema, is_duplicate: boolean() }) },
      async handler({ params: { uuid }, payload }, h) {
        const number = await requireNetworkNumber(uuid);
        const inbound = await inboundOf(context, number, payload);
        const changed = payload.type === 'system' ? networkId(payload.system?.new_wa_id ?? '') : undefined;
        const { message, isDuplicate } = await store.transaction(async (tx) => {
          const received = await messages.received(tx, number, inbound);
          if (changed !== undefined && !received.isDuplicate) await contacts.renumber(tx, number, [inbound.contact.id], changed);
          return received;
        });
        return h.response({ message, is_duplicate: isDuplicate }).code(201);
      },
    }),
    route({
      method: 'POST',
      path: '/network/messages/{message}/statuses',
      permission: 'network.test',
      accounts: { message: owned.message },
      summary:
        'Simulates status reports for a message, in the given order; any statuses and timestamps are allowed. `message` is its id or uuid.',
      request: {
        params: object({ message: stringUpTo(256) }),
        payload: statusesSchema,
      },
      responses: { 200: object({ message: messageSchema }) },
      async handler({ params: { message: id }, payload: { statuses } }) {
        const message = await findMessage(context, id);
        if (message?.direction !== 'outbound' || message.external_id === undefined)
          throw new NotFound('message of the network', id, 'message_not_found');
        const number = await requireNetworkNumber(message.number);
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
      permission: 'network.read',
      accounts: { uuid: owned.number },
      summary: 'Shows the policy of a number: how the network treats its messages.',
      request: { params },
      responses: { 200: policyResponse },
      async handler({ params: { uuid } }) {
        await requireNetworkNumber(uuid);
        return { policy: await store.transaction((tx) => policyOf(tx, uuid)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/network/numbers/{uuid}/policy',
      permission: 'network.test',
      accounts: { uuid: owned.number },
      summary: 'Changes the policy of a number: delays, read receipts, the order of reports, and rules for failures.',
      request: { params, payload: policyChangeSchema },
      responses: { 200: policyResponse },
      async handler({ params: { uuid }, payload }) {
        await requireNetworkNumber(uuid);
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
      permission: 'network.test',
      accounts: { uuid: owned.number },
      summary: 'Resets the policy of a number to the default.',
      request: { params },
      responses: { 200: policyResponse },
      async handler({ params: { uuid } }) {
        await requireNetworkNumber(uuid);
        await store.transaction((tx) => tx.in(policies).delete(uuid));
        return { policy: initial };
      },
    }),
  ];
}
