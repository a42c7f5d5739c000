import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidRequest, NotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Lane } from '../ports/queue.js';
import type { Secrets } from '../ports/secrets.js';
import { UniqueViolation } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { object } from '../shape.js';
import type { ChannelDriver } from './channel-drivers.js';
import { type ConnectionRecord, ConnectionRefused, type ConnectionType, connectionChanged, connections } from './connection.js';
import { advice, adviceDismissed } from './events.js';
import type { Inlined } from './inlined.js';
import { type NumberRecord, numbers as numberRecords } from './number.js';
import type { NewNumber, Numbers } from './numbers.js';
import { ServiceUnreachable } from './service-calls.js';

/** The name under which the secrets of a number are sealed, as one JSON object. */
const secretName = (number: string): string => `core/connections/${number}`;
/** The cause of the advice that a number is stopped. */
const stoppedCause = (number: string): string => `connection_stopped:${number}`;

/** Settings and secrets that a service has accepted, with its answer. */
export type CheckedConnection = Inlined<{
  readonly address: string;
  readonly name: string;
  readonly settings: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
}>;

/** The connections of numbers to services: settings, sealed secrets, and whether an error has stopped a number. */
export type Connections = ReturnType<typeof createConnections>;

interface ConnectionPorts {
  readonly store: Database;
  readonly secrets: Secrets;
  readonly numbers: Numbers;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Hides secrets in logs, and in what services say about them. */
  readonly masker: { add(value: string): void; mask(text: string): string };
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  /** Sends the deliveries that waited because the number was stopped; cancels those of a number that is not connected any more. */
  readonly release: (tx: Transaction, number: string) => void;
}

export function createConnections({ store, secrets, numbers, clock, log, masker, drivers, release }: ConnectionPorts) {
  const records = store.open(connections);
  const ofTypes = (): ReadonlyMap<string, ConnectionType> =>
    new Map([...drivers().values()].flatMap(({ type, connection }) => (connection ? [[type, connection]] : [])));
  const list = async (type?: string): Promise<ConnectionRecord[]> =>
    (await records.find('connected')).filter((one) => type === undefined || one.type === type);
  const stored = async ({ number, settings }: ConnectionRecord): Promise<JsonObject> => ({ ...settings, ...(await secretsOf(number)) });

  return {
    /** The types of connections, by the type of the number. */
    types: ofTypes,
    /** The connection of a number; undefined when it is not connected. */
    of: (number: string): Promise<ConnectionRecord | undefined> => records.get(number),
    /** All connections, or those of a type, the oldest first. */
    list,

    /** Reads a secret of a connected number. @throws NotFound when the number is not connected, or was connected without this secret */
    async secret(number: string, name: string): Promise<string> {
      const value = (await secretsOf(number))?.[name];
      if (value === undefined) throw notConnected(number);
      return value;
    },

    /** The settings of a connected number with its secrets. */
    stored,

    /**
     * Asks the service with settings and secrets, outside of transactions.
     * @param number the number to connect, if it exists already
     * @throws InvalidRequest, ConnectionRefused, Conflict when they belong to another address than that of the number
     */
    check,

    /** Asks the service with the stored settings and secrets of a number. @throws NotFound, ConnectionRefused, Conflict */
    async checkStored(number: NumberRecord): Promise<CheckedConnection> {
      const connection = await records.get(number.uuid);
      if (!connection) throw notConnected(number.uuid);
      return ask(connection.type, await stored(connection), number);
    },

    /** Connects a number, or replaces its settings and secrets, and sends what an error has stopped. @throws Conflict */
    connect,

    /** Connects the number of this type that has the address of the service, or creates it. @throws UniqueViolation in a cluster */
    add,

    /** Deletes the connection of a number and its secrets. Its messages stay. @throws NotFound */
    async disconnect(tx: Transaction, number: string): Promise<void> {
      const known = await tx.in(connections).get(number);
      if (!known) throw notConnected(number);
      tx.in(connections).delete(number);
      await ofTypes().get(known.type)?.disconnected?.(tx, known);
      secrets.delete(tx, secretName(number));
      changed(tx, known, null);
      // Its deliveries that wait for a retry are cancelled now.
      if (!known.stopped) release(tx, number);
    },

    /**
     * Connects the numbers in the options of a plugin; for its `start`. Asks the service only about those that are new or changed. One that it
     * refuses is logged and not connected, so that a service that does not respond prevents no start.
     * @throws InvalidRequest
     */
    async connectAll(type: string, given: readonly object[]): Promise<void> {
      const known = await Promise.all((await list(type)).map(stored));
      for (const [index, one] of given.entries()) {
        const values = validated(type, { ...one } as JsonObject);
        if (known.some((other) => Object.entries(values).every(([key, value]) => isDeepStrictEqual(value, other[key])))) continue;
        try {
          const checked = await ask(type, values);
          await store.transaction((tx) => add(tx, type, checked));
        } catch (error) {
          if (error instanceof UniqueViolation) log.info('another shard has this number of the options', { type, index });
          else if (error instanceof ConnectionRefused) log.error('a number of the options could not be connected', { type, index, error });
          else throw error;
        }
      }
    },

    /**
     * Records an error after which nothing of a number is sent or received until an operator acts, with critical advice. `code` and `title` are
     * those of the service, and `fix` is a sentence. @returns whether that is new: false when it is stopped already, or not connected
     */
    async stop(tx: Transaction, number: string, about: { code: number; title: string; fix?: string }): Promise<boolean> {
      const connection = await tx.in(connections).get(number);
      if (!connection || connection.stopped) return false;
      const { code, title, fix = 'Fix the cause' } = about;
      const at = clock.now().toISOString();
      const stopped: ConnectionRecord = { ...connection, stopped: { at, code, title } };
      tx.in(connections).put(stopped);
      tx.emit(connectionChanged, { number, connection: stopped });
      const path = `/admin/v1/numbers/${number}/connection`;
      tx.emit(advice, {
        name: 'connection_stopped',
        severity: 'critical',
        number,
        cause: stoppedCause(number),
        message: `The service refuses the number with error ${code} (${title}). Messages wait since ${at}.`,
        fix: `${fix.replace(/\.$/, '')}, then PUT ${path} with new credentials, or POST ${path}/check.`,
      });
      return true;
    },

    /** Sends and receives again after `stop`; changes nothing if the number is not stopped. @throws NotFound */
    async resume(tx: Transaction, number: string): Promise<ConnectionRecord> {
      const known = await tx.in(connections).get(number);
      if (!known) throw notConnected(number);
      if (!known.stopped) return known;
      const { stopped: _, ...connection } = known;
      tx.in(connections).put(connection);
      changed(tx, known, connection);
      return connection;
    },

    /** The destination of the messages of a number, for a sender: paused while it is stopped; undefined when it is not connected. */
    async destination(tx: Transaction, number: string, lane: Lane = 'high') {
      const connection = await tx.in(connections).get(number);
      if (!connection) return undefined;
      return { uuid: number, number, enabled: true, lane, order: 'strict' as const, paused_at: connection.stopped?.at };
    },
  };

  /** @throws Conflict */
  function typeOf(type: string): ConnectionType {
    const known = ofTypes().get(type);
    if (known) return known;
    const others = [...ofTypes().keys()].join(', ') || 'none';
    throw new Conflict('not_connectable', `Numbers of type '${type}' cannot be connected to a service; types that can: ${others}`);
  }

  /** Also masks the secrets in logs. @throws InvalidRequest without the values of secrets */
  function validated(type: string, given: JsonObject): JsonObject {
    const { schema, secrets: names } = typeOf(type);
    const { error, value } = object({ settings: schema }).validate({ settings: given }, CHECKS);
    for (const name of names) if (typeof given[name] === 'string') masker.add(given[name]);
    if (!error) return value.settings as JsonObject;
    throw new InvalidRequest(
      error.details.map(({ path, type: rule, message }) => {
        const isShown = !names.includes(String(path[1])) || !message.includes(String(given[path[1]!]));
        return { path, rule, message: isShown ? masker.mask(message) : `settings.${path[1]} is not valid` };
      }),
    );
  }

  function check(type: string, given: JsonObject, number?: NumberRecord): Promise<CheckedConnection> {
    return ask(type, validated(type, given), number);
  }

  async function ask(type: string, values: JsonObject, number?: NumberRecord): Promise<CheckedConnection> {
    const declared = typeOf(type);
    const isSecret = ([key]: readonly [string, unknown]): boolean => declared.secrets.includes(key);
    const answer = await declared.check(values, number ? { number } : {}).catch((error: unknown) => {
      if (error instanceof Error) error.message = masker.mask(error.message);
      if (error instanceof ServiceUnreachable) throw new ConnectionRefused(error.message, { isUnreachable: true });
      throw error;
    });
    const { address, name, settings = values } = answer;
    if (number && number.address !== address)
      throw new Conflict('other_address', `The settings are those of ${address}, and the number '${number.name}' is ${number.address}`);
    return {
      ...{ address, name },
      settings: Object.fromEntries(Object.entries(settings).filter((one) => !isSecret(one))),
      secrets: Object.fromEntries(Object.entries(values).filter(isSecret)) as Record<string, string>,
    };
  }

  async function secretsOf(number: string): Promise<Readonly<Record<string, string>> | undefined> {
    const text = await secrets.get(secretName(number));
    if (text === undefined) return undefined;
    const values = JSON.parse(text) as Record<string, string>;
    for (const value of Object.values(values)) masker.add(value);
    return values;
  }

  async function connect(tx: Transaction, number: NumberRecord, type: string, checked: CheckedConnection): Promise<ConnectionRecord> {
    const declared = typeOf(type);
    if (number.type !== type) throw new Conflict('not_connectable', `The number '${number.name}' is of type '${number.type}'`);
    const known = await tx.in(connections).get(number.uuid);
    const connected_at = known?.connected_at ?? clock.now().toISOString();
    const connection: ConnectionRecord = { number: number.uuid, type, settings: checked.settings, connected_at };
    tx.in(connections).put(connection);
    if (!isDeepStrictEqual(await secretsOf(number.uuid), checked.secrets))
      secrets.put(tx, secretName(number.uuid), JSON.stringify(checked.secrets));
    await declared.connected?.(tx, connection, number);
    changed(tx, known, connection);
    return connection;
  }

  async function add(
    tx: Transaction,
    type: string,
    checked: CheckedConnection,
    about: Partial<Pick<NewNumber, 'name' | 'account'>> = {},
  ): Promise<{ readonly number: NumberRecord; readonly connection: ConnectionRecord; readonly isNew: boolean }> {
    const { address, name } = checked;
    const known = await tx.in(numberRecords).getBy('address', [type, address]);
    const number = known ?? numbers.create(tx, { kind: 'channel', type, address, name, ...about });
    return { number, connection: await connect(tx, number, type, checked), isNew: known === undefined };
  }

  /** Emits the change of a connection that is no longer stopped. */
  function changed(tx: Transaction, known: ConnectionRecord | undefined, connection: ConnectionRecord | null): void {
    const number = (connection ?? known)!.number;
    tx.emit(connectionChanged, { number, connection });
    if (!known?.stopped) return;
    tx.emit(adviceDismissed, { cause: stoppedCause(number) });
    release(tx, number);
  }
}

const CHECKS = { abortEarly: false, errors: { label: 'path', wrap: { label: false } } } as const;

const notConnected = (number: string): NotFound => new NotFound('connection of the number', number, 'connection_not_found');
