import { type Route, route } from '../contract/route.js';
import { InvalidRequest, printable } from '../errors.js';
import type { ChannelDriver } from '../messaging/channel-drivers.js';
import { networkAddress } from '../messaging/network-id.js';
import { type NumberKind, numberKinds, numberSchema } from '../messaging/number.js';
import { addressTaken, type Numbers } from '../messaging/numbers.js';
import { tokenSchema } from '../messaging/token.js';
import type { Tokens } from '../messaging/tokens.js';
import type { Database } from '../ports/transaction.js';
import { array, boolean, dateTime, nullable, object, oneOf, string, stringUpTo } from '../shape.js';

const params = object({ uuid: string() });
const oneNumber = object({ number: numberSchema });

export interface NumberPorts {
  readonly store: Database;
  readonly numbers: Numbers;
  readonly tokens: Tokens;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
}

/** Numbers and the tokens that stand for them. */
export function numberRoutes({ store, numbers, tokens, drivers }: NumberPorts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers',
      summary: 'Lists the numbers, oldest first.',
      responses: { 200: object({ numbers: array(numberSchema) }) },
      handler: async () => ({ numbers: await numbers.list() }),
    }),
    route({
      method: 'POST',
      path: '/numbers',
      summary: 'Makes a number of the messaging network, a sandbox number, or a number that a plugin carries.',
      request: {
        payload: object(
          { kind: oneOf(...numberKinds), address: stringUpTo(256), name: stringUpTo(256) },
          { type: stringUpTo(64), account: nullable(stringUpTo(256)) },
        ),
      },
      responses: { 201: oneNumber },
      async handler({ payload: { kind, type: given, address, ...about } }, h) {
        const type = given ?? kind;
        const carried = typesFor(kind);
        if (!carried.includes(type)) throw wrong('type', notSupported(kind, given, carried));
        const made = { kind, type, address: addressOf(kind, address), ...about };
        const number = await store.transaction((tx) => numbers.create(tx, made)).catch(addressTaken);
        return h.response({ number }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}',
      summary: 'Shows a number.',
      request: { params },
      responses: { 200: oneNumber },
      handler: async ({ params: { uuid } }) => ({ number: await numbers.require(uuid) }),
    }),
    route({
      method: 'PATCH',
      path: '/numbers/{uuid}',
      summary: 'Changes the name or the business account of a number, or whether its webhooks are told of reactions.',
      request: { params, payload: object({}, { name: stringUpTo(256), account: nullable(stringUpTo(256)), reactions: boolean() }) },
      responses: { 200: oneNumber },
      handler: async ({ params: { uuid }, payload: { name, account, reactions } }) => ({
        number: await store.transaction((tx) =>
          numbers.update(tx, uuid, {
            ...(name !== undefined && { name }),
            ...(account !== undefined && { account }),
            ...(reactions !== undefined && { reactions }),
          }),
        ),
      }),
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}/tokens',
      summary: 'Lists the tokens of a number, without their texts.',
      request: { params },
      responses: { 200: object({ tokens: array(tokenSchema) }) },
      async handler({ params: { uuid } }) {
        await numbers.require(uuid);
        return { tokens: await tokens.list(uuid) };
      },
    }),
    route({
      method: 'POST',
      path: '/numbers/{uuid}/tokens',
      summary: 'Makes a token. Its text is in this answer and nowhere else. It lives a year unless `expires_at` says otherwise.',
      request: { params, payload: object({ name: stringUpTo(256) }, { expires_at: dateTime() }) },
      responses: { 201: object({ token: tokenSchema, text: string() }) },
      async handler({ params: { uuid }, payload: { name, expires_at } }, h) {
        await numbers.require(uuid);
        const issued = await store.transaction((tx) =>
          tokens.issue(tx, uuid, name, expires_at === undefined ? undefined : new Date(expires_at)),
        );
        return h.response(issued).code(201);
      },
    }),
    route({
      method: 'DELETE',
      path: '/numbers/{uuid}/tokens/{token}',
      summary: 'Revokes a token at once.',
      request: { params: object({ uuid: string(), token: string() }) },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid, token } }) {
        await store.transaction((tx) => tokens.revoke(tx, uuid, token));
        return { success: true };
      },
    }),
  ];

  /**
   * Numbers of the network serve flows and webhooks also where no plugin carries their messages; and who carries these gets
   * them whole, as they have more types than turns do.
   */
  function typesFor(kind: NumberKind): string[] {
    const ofPlugins = [...drivers().values()].filter(({ type }) => !NETWORK_TYPES.includes(type));
    if (kind === 'channel') return ofPlugins.map(({ type }) => type);
    return [kind, ...ofPlugins.flatMap(({ type, supports }) => (supports === 'everything' ? [type] : []))];
  }
}

const NETWORK_TYPES: readonly string[] = numberKinds.filter((kind) => kind !== 'channel');

function notSupported(kind: NumberKind, type: string | undefined, carried: readonly string[]): string {
  const types = carried.length === 0 ? 'no plugin carries any' : `there are ${carried.join(', ')}`;
  const call = kind === 'channel' ? '; the plugin of a type may have a call that makes a channel with all that belongs to it' : '';
  const what =
    type === undefined
      ? `type is required for a number of kind '${kind}'`
      : `A number of kind '${kind}' cannot be of type ${printable(type)}`;
  return `${what}: ${types}${call}`;
}

/** The network knows its numbers by their digits, however they are written. @throws InvalidRequest */
function addressOf(kind: NumberKind, address: string): string {
  if (kind === 'channel') return address;
  const known = networkAddress(address);
  if (known === undefined) throw wrong('address', 'address must be an international phone number, such as +27600000001');
  return known;
}

const wrong = (key: string, message: string) => new InvalidRequest([{ path: [key], rule: 'any.invalid', message }]);
