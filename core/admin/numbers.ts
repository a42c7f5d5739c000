import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import { InvalidRequest, printable } from '../errors.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import { keptChanges } from '../messaging/account.js';
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

export function numberRoutes({ store, numbers, tokens, drivers }: NumberPorts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/numbers',
      permission: 'numbers.read',
      accounts: 'filtered',
      shards: { list: 'numbers', by: ['created_at', 'uuid'], order: 'ascending' },
      summary: 'Lists the numbers, oldest first.',
      responses: { 200: object({ numbers: array(numberSchema) }) },
      handler: async ({ request }) => ({ numbers: await visibleNumbers(numbers, operatorOf(request)) }),
    }),
    route({
      method: 'POST',
      path: '/numbers',
      permission: 'numbers.write',
      summary: 'Creates a number of the messaging network, a sandbox number, or a number of a type that a plugin supports.',
      request: {
        payload: object(
          { kind: oneOf(...numberKinds), address: stringUpTo(256), name: stringUpTo(256) },
          { type: stringUpTo(64), account: nullable(stringUpTo(256)) },
        ),
      },
      responses: { 201: oneNumber },
      async handler({ payload: { kind, type: given, address, ...about } }, h) {
        const type = given ?? kind;
        const supported = typesFor(kind);
        if (!supported.includes(type)) throw invalid('type', notSupported(kind, given, supported));
        const newNumber = { kind, type, address: addressOf(kind, address), ...about };
        const number = await store.transaction((tx) => numbers.create(tx, newNumber, { needsDriver: false })).catch(addressTaken);
        return h.response({ number }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}',
      permission: 'numbers.read',
      accounts: { uuid: owned.number },
      summary: 'Shows a number.',
      request: { params },
      responses: { 200: oneNumber },
      handler: async ({ params: { uuid } }) => ({ number: await numbers.require(uuid) }),
    }),
    route({
      method: 'PATCH',
      path: '/numbers/{uuid}',
      permission: 'numbers.write',
      summary:
        'Changes the name or the business account of a number, whether its webhooks receive reactions, or how long its messages are kept. Null removes a limit.',
      request: {
        params,
        payload: object({}, { name: stringUpTo(256), account: nullable(stringUpTo(256)), reactions: boolean(), ...keptChanges }),
      },
      responses: { 200: oneNumber },
      handler: async ({ params: { uuid }, payload: { name, account, reactions, kept_days, kept_bytes } }) => ({
        number: await store.transaction((tx) =>
          numbers.update(tx, uuid, {
            ...(name !== undefined && { name }),
            ...(account !== undefined && { account }),
            ...(reactions !== undefined && { reactions }),
            ...(kept_days !== undefined && { kept_days }),
            ...(kept_bytes !== undefined && { kept_bytes }),
          }),
        ),
      }),
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}/tokens',
      permission: 'numbers.read',
      accounts: { uuid: owned.number },
      summary: 'Lists the tokens of a number, without the token values.',
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
      permission: 'tokens.write',
      accounts: { uuid: owned.number },
      summary: 'Creates a token. Only this response contains the token value. The token expires after a year unless `expires_at` is given.',
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
      permission: 'tokens.write',
      accounts: { uuid: owned.number },
      summary: 'Revokes a token immediately.',
      request: { params: object({ uuid: string(), token: string() }) },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid, token } }) {
        await store.transaction((tx) => tokens.revoke(tx, uuid, token));
        return { success: true };
      },
    }),
  ];

  /**
   * The types that a number of this kind may have. Numbers of the network work without a driver, for flows and webhooks. A driver for them
   * must support `everything`, as their messages have more types than turns.
   */
  function typesFor(kind: NumberKind): string[] {
    const ofPlugins = [...drivers().values()].filter(({ type }) => !NETWORK_TYPES.includes(type));
    if (kind === 'channel') return ofPlugins.map(({ type }) => type);
    return [kind, ...ofPlugins.flatMap(({ type, supports }) => (supports === 'everything' ? [type] : []))];
  }
}

const NETWORK_TYPES: readonly string[] = numberKinds.filter((kind) => kind !== 'channel');

function notSupported(kind: NumberKind, type: string | undefined, supported: readonly string[]): string {
  const types = supported.length === 0 ? 'no plugin supports any' : `supported types are ${supported.join(', ')}`;
  const call = kind === 'channel' ? '; the plugin of a type may have a call that creates a complete channel' : '';
  const problem =
    type === undefined
      ? `type is required for a number of kind '${kind}'`
      : `A number of kind '${kind}' cannot be of type ${printable(type)}`;
  return `${problem}: ${types}${call}`;
}

/** Normalizes the address of a number of the network to its digits. @throws InvalidRequest */
function addressOf(kind: NumberKind, address: string): string {
  if (kind === 'channel') return address;
  const known = networkAddress(address);
  if (known === undefined) throw invalid('address', 'address must be an international phone number, such as +27600000001');
  return known;
}

const invalid = (key: string, message: string) => new InvalidRequest([{ path: [key], rule: 'any.invalid', message }]);
