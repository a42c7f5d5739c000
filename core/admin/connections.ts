import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import type { JsonObject } from '../json.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { requestSchemaOf } from '../kernel/http/openapi/schema.js';
import { operatorOf } from '../kernel/http/operators.js';
import type { ConnectionRecord } from '../messaging/connection.js';
import type { Connections } from '../messaging/connections.js';
import { type NumberRecord, numberSchema } from '../messaging/number.js';
import { addressTaken, type Numbers } from '../messaging/numbers.js';
import type { Logger } from '../ports/logger.js';
import type { Database } from '../ports/transaction.js';
import {
  anyString,
  anyValue,
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
  withoutUndefined,
} from '../shape.js';

/** Whether something receives for a number, and its last failure. */
const receivingSchema = object({
  state: oneOf('running', 'waiting'),
  /** Failures in a row. */
  failures: integer(),
  last_error: nullable(anyString()),
  next_at: nullable(string()),
});

export type Receiving = TypeOf<typeof receivingSchema>;

const connectionSchema = named(
  'Connection',
  object({
    number: numberSchema,
    settings: record(anyValue()).description('The settings, without the secrets.'),
    connected_at: string(),
    stopped: nullable(object({ at: string(), code: integer(), title: anyString() })).description(
      'Why nothing is sent or received until an operator acts.',
    ),
    receiving: nullable(receivingSchema).description('Null if the service calls the platform, or the number is stopped.'),
    details: record(anyValue()).description('What the channel shows besides, such as the URL of a webhook; `error` if that has failed.'),
  }),
);

const typeSchema = object({
  type: string(),
  schema: record(anyValue()).description('The settings as JSON Schema.'),
  secrets: array(string()).description('The settings that are sealed and never shown.'),
});

const params = object({ uuid: string() });
const oneConnection = object({ connection: connectionSchema });
const settings = record(anyValue()).description('`GET /connections/types` has their schema.');
const OF_ONE = '/numbers/{uuid}/connection' as const;

interface ConnectionPorts {
  readonly store: Database;
  readonly numbers: Numbers;
  readonly connections: Connections;
  /** The state of the loop that receives for a number; null if there is none. */
  readonly receiving: (number: string) => Receiving | null;
  readonly log: Pick<Logger, 'error'>;
}

/** Admin routes that connect numbers to services. No response contains a secret. */
export function connectionRoutes({ store, numbers, connections, receiving, log }: ConnectionPorts): Route[] {
  const view = async (connection: ConnectionRecord, number: NumberRecord): Promise<TypeOf<typeof connectionSchema>> => ({
    number,
    settings: connection.settings,
    connected_at: connection.connected_at,
    stopped: connection.stopped ?? null,
    receiving: receiving(number.uuid),
    details: await detailsOf(connection),
  });
  /** One that cannot be shown must not hide the others. */
  const detailsOf = async (connection: ConnectionRecord): Promise<JsonObject> => {
    try {
      return (await connections.types().get(connection.type)?.view?.(connection)) ?? {};
    } catch (error) {
      log.error('the details of a connection could not be shown', { number_id: connection.number, type: connection.type, error });
      return { error: `The plugin of numbers of type '${connection.type}' has failed; the log of the platform says why.` };
    }
  };

  return [
    route({
      method: 'GET',
      path: '/connections/types',
      permission: 'numbers.read',
      accounts: 'none',
      shards: 'process',
      summary: 'Lists the types of numbers that can be connected to a service, with the settings that each needs.',
      responses: { 200: object({ types: array(typeSchema) }) },
      handler: () => ({
        types: [...connections.types()].map(([type, { schema, secrets }]) => ({
          type,
          schema: requestSchemaOf(schema, { strict: true, hasNulls: false }),
          secrets: [...secrets],
        })),
      }),
    }),
    route({
      method: 'GET',
      path: '/connections',
      permission: 'numbers.read',
      accounts: 'filtered',
      shards: { list: 'connections', by: ['connected_at', 'number.uuid'], order: 'ascending' },
      summary: 'Lists the numbers that are connected to a service, oldest first, and whether they send and receive.',
      request: { query: object({}, { type: string() }) },
      responses: { 200: object({ connections: array(connectionSchema) }) },
      async handler({ query: { type }, request }) {
        const visible = new Map((await visibleNumbers(numbers, operatorOf(request))).map((number) => [number.uuid, number]));
        const own = (await connections.list(type)).flatMap((one) => {
          const number = visible.get(one.number);
          return number ? [view(one, number)] : [];
        });
        return { connections: await Promise.all(own) };
      },
    }),
    route({
      method: 'POST',
      path: '/connections',
      permission: 'connections.write',
      summary: 'Connects a number to a service, and creates it, or gives the number with the address of the service new settings.',
      recorded: ['type'],
      request: { payload: object({ type: stringUpTo(64), settings }, { name: stringUpTo(256), account: nullable(stringUpTo(256)) }) },
      responses: { 200: oneConnection, 201: oneConnection },
      errors: [409, 502],
      async handler({ payload: { type, settings: given, ...about } }, h) {
        const checked = await connections.check(type, given as JsonObject);
        const { number, connection, isNew } = await store
          .transaction((tx) => connections.add(tx, type, checked, withoutUndefined(about)))
          .catch(addressTaken);
        return h.response({ connection: await view(connection, number) }).code(isNew ? 201 : 200);
      },
    }),
    route({
      method: 'PUT',
      path: OF_ONE,
      permission: 'connections.write',
      accounts: { uuid: owned.number },
      summary: 'Connects a number of a type that has services, or replaces its settings and sends what an error has stopped.',
      request: { params, payload: object({ settings }) },
      responses: { 200: oneConnection },
      errors: [409, 502],
      async handler({ params: { uuid }, payload: { settings: given } }) {
        const number = await numbers.require(uuid);
        const checked = await connections.check(number.type, given as JsonObject, number);
        const connection = await store.transaction((tx) => connections.connect(tx, number, number.type, checked));
        return { connection: await view(connection, number) };
      },
    }),
    route({
      method: 'POST',
      path: `${OF_ONE}/check`,
      permission: 'connections.resume',
      accounts: { uuid: owned.number },
      summary: 'Asks the service with the stored settings of a number. If it accepts them, a number that an error has stopped sends again.',
      request: { params },
      responses: { 200: oneConnection },
      errors: [409, 502],
      async handler({ params: { uuid } }) {
        const number = await numbers.require(uuid);
        await connections.checkStored(number);
        return { connection: await view(await store.transaction((tx) => connections.resume(tx, uuid)), number) };
      },
    }),
    route({
      method: 'POST',
      path: `${OF_ONE}/resume`,
      permission: 'connections.resume',
      accounts: { uuid: owned.number },
      summary: 'Sends and receives again after an error that stopped a number, without asking the service.',
      request: { params },
      responses: { 200: oneConnection },
      async handler({ params: { uuid } }) {
        const number = await numbers.require(uuid);
        return { connection: await view(await store.transaction((tx) => connections.resume(tx, uuid)), number) };
      },
    }),
    route({
      method: 'DELETE',
      path: OF_ONE,
      permission: 'connections.write',
      accounts: { uuid: owned.number },
      summary: 'Disconnects a number and deletes its secrets. The number and its conversations stay.',
      request: { params },
      responses: { 200: object({ number: numberSchema }) },
      async handler({ params: { uuid } }) {
        const number = await numbers.require(uuid);
        await store.transaction((tx) => connections.disconnect(tx, uuid));
        return { number };
      },
    }),
  ];
}
