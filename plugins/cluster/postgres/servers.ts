import { lookup } from 'node:dns/promises';
import { isIP, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { messageOf } from '../../../core/errors.js';
import { lazy } from '../../../core/lazy.js';
import { type DatabaseHost, type DatabaseUrl, placeOf, readDatabaseUrl } from './database-url.js';

/** Loaded on first use, because only platforms with this store need the package. */
const driver = lazy(async () => (await import('pg')).default);

/** @throws Error when the package pg is not installed */
export async function loadDriver(): Promise<void> {
  await driver.get().catch((cause: unknown) => {
    throw new Error(`the store in PostgreSQL needs the package pg, which cannot be loaded (npm install pg): ${messageOf(cause)}`, {
      cause,
    });
  });
}

export interface ServersOptions {
  /** `postgres://user:password@host/database` with the parameters of libpq; several hosts after commas. */
  readonly url: string;
  /** The password for each new connection, as of credentials that expire; that of the URL if not given. */
  readonly password?: (() => string | Promise<string>) | undefined;
  /** Whether a server that was replaced in a fail-over may be used when no other can be reached; `continue` if not given. */
  readonly afterLoss?: AfterLoss | undefined;
}

/** The decision when transactions have vanished from the log: the shard continues without them, or an operator decides. */
export type AfterLoss = 'continue' | 'stop';

/** A server that can be reached accepts no writes. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

interface Session {
  readonly client: pg.Client;
  readonly place: string;
  /** Counts the fail-overs of the server; undefined if it does not tell. */
  readonly timeline: { readonly system: string; readonly number: number } | undefined;
}

interface Attempt {
  readonly password: string | undefined;
  readonly limitMs: number;
}

/** How long a host that accepts writes waits for others that do: then there are two, as when a replaced server has come back. */
const OTHERS_MS = 300;
/** A server of an older timeline is used when no newer one was reachable for this long: then an operator has restored a backup. */
const OLDER_AFTER_MS = 30_000;

/**
 * The servers at which a database may be, of which one accepts writes at a time. Each connection looks up the names again, tries all hosts at
 * once, and goes to the one that accepts writes.
 */
export class Servers {
  /** Hosts and database, for messages. */
  readonly name: string;
  readonly afterLoss: AfterLoss;
  readonly #url: DatabaseUrl;
  readonly #options: ServersOptions;
  /** Whether the newest session is not encrypted. */
  #isPlain = false;
  /** The newest timeline of each system that was used, and since when only older ones can be reached. */
  readonly #newest = new Map<string, { number: number; missingSince?: number | undefined }>();

  /** @throws TypeError when the URL cannot be used */
  constructor(options: ServersOptions) {
    this.#options = options;
    this.#url = readDatabaseUrl(options.url);
    this.name = this.#url.shown;
    this.afterLoss = options.afterLoss ?? 'continue';
  }

  /** Connects to the server that accepts writes. @throws Error that says what is wrong with each host */
  async connect(limitMs: number): Promise<pg.Client> {
    const { hosts } = this.#url;
    const password = await this.#options.password?.();
    const sessions: Session[] = [];
    const failures: { readonly place: string; readonly error: unknown }[] = [];
    let isOver = false;
    let found = () => {};
    const first = new Promise<void>((resolve) => (found = resolve));
    const all = Promise.all(
      hosts.map(async (host) => {
        try {
          const session = await this.#session(host, { password, limitMs });
          if (isOver) return destroy(session.client);
          sessions.push(session);
          found();
        } catch (error) {
          failures.push({ place: placeOf(host), error });
        }
      }),
    );
    await Promise.race([all, first.then(() => sleep(OTHERS_MS, undefined, { ref: false }))]);
    isOver = true;
    sessions.sort((a, b) => (b.timeline?.number ?? 0) - (a.timeline?.number ?? 0));
    const [chosen, ...others] = sessions;
    for (const { client } of others) destroy(client);
    const refusal = chosen && this.#refusalOf(chosen);
    if (chosen && refusal === undefined) return chosen.client;
    if (chosen) {
      destroy(chosen.client);
      failures.unshift({ place: chosen.place, error: new NotWritable(refusal) });
    }
    const reasons = failures.map(({ place, error }) => (hosts.length === 1 ? reasonOf(error) : `${place}: ${reasonOf(error)}`));
    const Failed = failures.some(({ error }) => error instanceof NotWritable) ? NotWritable : Error;
    throw new Failed(reasons.join('; '), { cause: failures[0]!.error });
  }

  /** Why a server must not be used, although it accepts writes: it was replaced in a fail-over. */
  #refusalOf({ timeline }: Session): string | undefined {
    if (!timeline) return undefined;
    const known = this.#newest.get(timeline.system);
    if (!known || timeline.number >= known.number) {
      this.#newest.set(timeline.system, { number: timeline.number });
      return undefined;
    }
    known.missingSince ??= performance.now();
    if (this.afterLoss === 'continue' && performance.now() - known.missingSince > OLDER_AFTER_MS) {
      this.#newest.set(timeline.system, { number: timeline.number });
      return undefined;
    }
    return `it is on timeline ${timeline.number}, and this process has used timeline ${known.number} of the same database, which has replaced it`;
  }

  /** A session that accepts writes, at one of the addresses of a host. */
  async #session(host: DatabaseHost, attempt: Attempt): Promise<Session> {
    let reason: unknown;
    for (const address of await addressesOf(host)) {
      // Most servers that refused encryption refuse it again, and most others allow it again.
      const order = encryptions[this.#url.sslmode];
      for (const isEncrypted of this.#isPlain && order.includes(false) ? [false, ...order.filter(Boolean)] : order) {
        try {
          const session = await this.#open(host, { ...attempt, address, isEncrypted });
          this.#isPlain = !isEncrypted;
          return session;
        } catch (error) {
          if (reason === undefined || isWithoutTls(reason)) reason = error;
          if (!isAboutEncryption(error)) break;
        }
      }
    }
    throw reason;
  }

  async #open(
    host: DatabaseHost,
    { password, limitMs, address, isEncrypted }: Attempt & { readonly address: string | undefined; readonly isEncrypted: boolean },
  ): Promise<Session> {
    const { Client } = await driver.get();
    const client = new Client({
      application_name: 'posthorn',
      ...this.#url.settingsFor(host, isEncrypted),
      ...(password !== undefined && { password }),
      ...(address !== undefined && { stream: () => socketTo(address) }),
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      keepAlive: true,
    });
    // Without a listener, a lost connection would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      // An acknowledged transaction must be on the disk of the server, also if its configuration allows otherwise.
      const { rows } = await client.query<{ standby: boolean; read_only: string }>(`
        select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only,
          case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', false) end`);
      const [{ standby, read_only }] = rows as [{ standby: boolean; read_only: string }];
      if (standby) throw new NotWritable('it is a standby of the database, and accepts no writes');
      if (read_only === 'on') throw new NotWritable('it accepts no writes (default_transaction_read_only)');
      return { client, place: placeOf(host), timeline: await timelineOf(client) };
    } catch (error) {
      destroy(client);
      throw error;
    }
  }
}

/** Node reports a refused connection to several addresses without a message of its own. */
const reasonOf = (error: unknown): string => messageOf(error instanceof AggregateError ? error.errors[0] : error);

const isWithoutTls = (error: unknown): boolean => /does not support SSL/.test(messageOf(error));

/** Whether an attempt with the other encryption may succeed: the server has responded. */
const isAboutEncryption = (error: unknown): boolean =>
  (error as Partial<pg.DatabaseError>).severity !== undefined || /SSL|TLS|certificate/i.test(messageOf(error));

/** Whether to encrypt, in the order of the attempts. */
const encryptions: Record<DatabaseUrl['sslmode'], readonly boolean[]> = {
  disable: [false],
  allow: [false, true],
  prefer: [true, false],
  require: [true],
  'no-verify': [true],
  'verify-ca': [true],
  'verify-full': [true],
};

/** Looked up for each connection: a name may mean another server after a fail-over. Undefined for a socket in a folder. */
async function addressesOf({ host, address }: DatabaseHost): Promise<readonly (string | undefined)[]> {
  if (address !== undefined) return [address];
  if (host === '' || host.startsWith('/') || isIP(host)) return [undefined];
  return (await lookup(host, { all: true })).map((found) => found.address);
}

/** A socket that connects to this address, whatever name it is given: certificates are compared with the name. */
function socketTo(address: string): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket) as (port: number, host: string) => Socket;
  return Object.assign(socket, { connect: (port: number) => connect(port, address) });
}

/** Not every service that speaks the protocol of PostgreSQL has these functions. */
async function timelineOf(client: pg.Client): Promise<Session['timeline']> {
  try {
    const { rows } = await client.query<{ system: string; file: string }>(
      'select system_identifier::text as system, pg_walfile_name(pg_current_wal_lsn()) as file from pg_control_system()',
    );
    return rows[0] && { system: rows[0].system, number: Number.parseInt(rows[0].file.slice(0, 8), 16) };
  } catch {
    return undefined;
  }
}

/** Ends a connection without waiting for the server, which may not respond any more. */
export function destroy(client: pg.Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection;
  stream.destroy();
}
