import { Conflict, NotFound, type NumberRecord, type PluginContext, type Transaction, UniqueViolation } from '#core';
import { adviceDismissed, networkAddress } from '#core/messaging';
import type { CloudNumber } from '../options.js';
import { type ConnectionRecord, connections as connectionRecords, pendingSends } from '../records.js';
import { pushLane } from '../sending/queues.js';

/** The `type` of numbers that this plugin serves. */
export const CLOUD_TYPE = 'cloud_api';

/** The secrets of a connection. */
export interface Credentials {
  readonly phoneNumberId: string;
  readonly wabaId: string;
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
}

const secretNames = { accessToken: 'access-token', appSecret: 'app-secret', verifyToken: 'verify-token' } as const;
export type SecretKind = keyof typeof secretNames;
const kinds = Object.keys(secretNames) as SecretKind[];
const nameOf = (number: string, kind: SecretKind): string => `${number}/${secretNames[kind]}`;

/** Connects numbers to the network, and finds the connection of a number. */
export type Connections = ReturnType<typeof createConnections>;

export function createConnections({
  store,
  secrets,
  numbers,
  deliveries,
  clock,
  log,
}: Pick<PluginContext, 'store' | 'secrets' | 'numbers' | 'deliveries' | 'clock' | 'log'>) {
  const opened = () => store.open(connectionRecords);

  return {
    list: (): Promise<ConnectionRecord[]> => opened().list(),
    /** The connection of a number, by the number's uuid. */
    of: (number: string): Promise<ConnectionRecord | undefined> => opened().get(number),
    /** The connection of a number. @throws NotFound when the number is not connected */
    async require(number: string): Promise<ConnectionRecord> {
      const connection = await opened().get(number);
      if (!connection) throw new NotFound('connection of the number', number, 'connection_not_found');
      return connection;
    },
    /** The connection with this phone-number id of the network. */
    byPhone: (phoneNumberId: string): Promise<ConnectionRecord | undefined> => opened().getBy('phone', [phoneNumberId]),
    /** The connection with this phone number ID, or of the number with this uuid: both are in paths of the webhook. */
    byPath: async (id: string): Promise<ConnectionRecord | undefined> =>
      (await opened().getBy('phone', [id])) ?? (await opened().get(id.toLowerCase())),
    /** The connections of a business account. */
    byAccount: (wabaId: string): Promise<ConnectionRecord[]> => opened().find('account', { equals: [wabaId] }),

    /** Reads a secret of a connected number. @throws NotFound when the number is not connected */
    async secret(number: string, kind: SecretKind): Promise<string> {
      const value = await secrets.get(nameOf(number, kind));
      if (value === undefined) throw new NotFound('connection of the number', number, 'connection_not_found');
      return value;
    },

    /** The secrets of the apps of these connections, each once. */
    async appSecrets(of: readonly ConnectionRecord[]): Promise<readonly string[]> {
      const values = of.map(({ number }) => secrets.get(nameOf(number, 'appSecret')));
      return [...new Set((await Promise.all(values)).filter((value) => value !== undefined))];
    },

    /** Connects a number of the network, or replaces its credentials, and sends what an earlier error has stopped. @throws Conflict */
    connect,

    /** Makes the number local again; its credentials are deleted. @throws NotFound when it is not connected */
    async disconnect(tx: Transaction, uuid: string): Promise<NumberRecord> {
      const known = await tx.in(connectionRecords).get(uuid);
      if (!known) throw new NotFound('connection of the number', uuid, 'connection_not_found');
      if (known.stopped) tx.emit(adviceDismissed, { cause: stoppedCause(uuid) });
      tx.in(connectionRecords).delete(uuid);
      for (const kind of kinds) secrets.delete(tx, nameOf(uuid, kind));
      await continueLanes(tx, uuid);
      return numbers.update(tx, uuid, { type: 'network' });
    },

    /** Creates or finds the numbers of the options, and connects them. Runs at each start, so it changes nothing that is current. */
    async connectAll(given: readonly CloudNumber[]): Promise<void> {
      for (const { address: written, name = written, ...credentials } of given) {
        const address = networkAddress(written);
        if (address === undefined)
          throw new TypeError(`cloudApi: numbers.address is not an international phone number: ${JSON.stringify(written)}`);
        const all = await numbers.list();
        const known = all.find((number) => number.kind === 'network' && networkAddress(number.address) === address);
        await store
          .transaction(async (tx) => {
            const number = known ?? numbers.create(tx, { kind: 'network', type: CLOUD_TYPE, address, name, account: credentials.wabaId });
            await connect(tx, number, credentials);
          })
          .catch((error: unknown) => {
            if (known || !isInOtherShard(error)) throw error;
            log.info('another shard has this number of the options', { address });
          });
      }
    },

    /** Records an error after which nothing of a number is sent until `resume`. */
    async stop(tx: Transaction, number: string, { code, title }: { code: number; title: string }): Promise<boolean> {
      const connection = await tx.in(connectionRecords).get(number);
      if (!connection || connection.stopped) return false;
      tx.in(connectionRecords).put({ ...connection, stopped: { at: clock.now().toISOString(), code, title } });
      return true;
    },

    /** Sends again after `stop`. @throws NotFound */
    async resume(tx: Transaction, number: string): Promise<ConnectionRecord> {
      const connection = await tx.in(connectionRecords).get(number);
      if (!connection) throw new NotFound('connection of the number', number, 'connection_not_found');
      return resumed(tx, connection);
    },
  };

  async function connect(
    tx: Transaction,
    number: NumberRecord,
    { phoneNumberId, wabaId, ...values }: Credentials,
  ): Promise<ConnectionRecord> {
    if (number.kind !== 'network') {
      throw new Conflict(
        'not_a_network_number',
        `Number '${number.name}' is of kind '${number.kind}'; only numbers of kind 'network' can be connected`,
      );
    }
    const holder = await tx.in(connectionRecords).getBy('phone', [phoneNumberId]);
    if (holder && holder.number !== number.uuid) throw new Conflict('phone_number_id_taken', 'Another number has this phone_number_id');
    const known = await tx.in(connectionRecords).get(number.uuid);
    for (const kind of kinds) {
      if ((await secrets.get(nameOf(number.uuid, kind))) !== values[kind]) secrets.put(tx, nameOf(number.uuid, kind), values[kind]);
    }
    const { templates_read_at: readAt, ...before } = known ?? { connected_at: clock.now().toISOString() };
    const connection: ConnectionRecord = {
      ...before,
      // Those of another account are not known yet.
      ...(known?.waba_id === wabaId && readAt !== undefined && { templates_read_at: readAt }),
      number: number.uuid,
      phone_number_id: phoneNumberId,
      waba_id: wabaId,
    };
    if (number.type !== CLOUD_TYPE || number.account !== wabaId)
      await numbers.update(tx, number.uuid, { type: CLOUD_TYPE, account: wabaId });
    return resumed(tx, connection);
  }

  async function resumed(tx: Transaction, { stopped, ...connection }: ConnectionRecord): Promise<ConnectionRecord> {
    tx.in(connectionRecords).put(connection);
    if (stopped) {
      tx.emit(adviceDismissed, { cause: stoppedCause(connection.number) });
      deliveries.release(tx, connection.number);
      await continueLanes(tx, connection.number);
    }
    return connection;
  }

  /** Continues with the messages that were not in the outbox when the number was stopped or disconnected. */
  async function continueLanes(tx: Transaction, number: string): Promise<void> {
    const waiting = (await tx.in(pendingSends).find('number', { equals: [number] })).filter(({ delivery }) => delivery === undefined);
    for (const conversation of new Set(waiting.map((one) => one.conversation))) pushLane(tx, conversation);
  }
}

/** The cause of the advice that a number is stopped. */
export const stoppedCause = (number: string): string => `cloud_api_stopped:${number}`;

/** In a cluster every shard has the options. The first one creates a number, with all numbers of its account; the others cannot. */
const isInOtherShard = (error: unknown): boolean =>
  error instanceof UniqueViolation || (error instanceof Conflict && error.code === 'account_elsewhere');

/** For `catch`: another number of this type has the address. @throws Conflict */
export function addressTaken(error: unknown): never {
  if (error instanceof UniqueViolation) throw new Conflict('address_taken', 'Another connected number has this address');
  throw error;
}
