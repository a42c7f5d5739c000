import type pg from 'pg';
import { messageOf } from '../../../core/errors.js';
import { LogUnreachable } from '../../../core/ports/log.js';
import { destroy, NotWritable, type Servers } from './servers.js';

/** How a connection to PostgreSQL is made. */
export interface ConnectionOptions {
  readonly servers: Servers;
  /** Real milliseconds after which a connection or a query that got no response counts as lost. */
  readonly queryTimeoutMs: () => number;
}

/** A row with this key exists. */
export class UniqueKeyTaken extends Error {
  override readonly name = 'UniqueKeyTaken';
}

const UNIQUE_VIOLATION = '23505';
/** The server became a standby, or was made read-only: another may accept writes. */
const READ_ONLY = '25006';
const REFUSED = /^(?!08|25P03|57P)[0-9A-Z]{5}$/;
/** The function of PostgreSQL that warns, with a text in the language of the server, that a commit is not on the replica. */
const REPLICA_WAIT = 'SyncRepWaitForLSN';

/** One statement; a name makes the server keep its plan. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Instead of the limit of the connection. */
  readonly timeoutMs?: number;
}

/** One connection, which is made again when it is needed after a loss. Statements run one after the other. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #onNotification: (() => void) | undefined;
  #client: Promise<pg.Client> | undefined;
  #isClosed = false;
  #isOnlyLocal = false;
  #connections = 0;
  /** The newest statement. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ConnectionOptions, onNotification?: () => void) {
    this.#options = options;
    this.#onNotification = onNotification;
  }

  /**
   * How often it has connected. The reads of a session never go back to an earlier state; another session may be at a server that lacks what
   * the previous one has read.
   */
  get connections(): number {
    return this.#connections;
  }

  /** Whether the next statement has to connect first. */
  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /**
   * A change took effect, and is on the replica if commits wait for it, when this resolves.
   * @throws UniqueKeyTaken when the statement would have violated a key, and took no effect
   * @throws LogUnreachable when the server has refused the statement, or when it is unknown whether it took effect
   */
  query<Row extends object = object>(statement: Statement): Promise<readonly Row[]> {
    const queried = this.#last.then(() => this.#query<Row>(statement));
    this.#last = queried.catch(() => undefined);
    return queried;
  }

  async #query<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    if (this.#isClosed) throw new LogUnreachable('the connection to PostgreSQL is closed');
    this.#client ??= this.#connect();
    const connecting = this.#client;
    try {
      const client = await connecting;
      const { name, text, values, timeoutMs: query_timeout = this.#options.queryTimeoutMs() } = statement;
      this.#isOnlyLocal = false;
      const config = { ...(name !== undefined && { name }), text, values: values as unknown[], query_timeout };
      const result = await client.query<Row>(config);
      if (this.#isOnlyLocal) throw new Error('the wait for its replica was ended, so it may lose the change in a fail-over');
      return result.rows;
    } catch (error) {
      if (isRefusal(error) && error.code !== READ_ONLY) {
        if (error.code === UNIQUE_VIOLATION) throw new UniqueKeyTaken(error.message);
        throw new LogUnreachable(`PostgreSQL refuses a statement: ${error.message}`, { cause: error });
      }
      // The server may still run the statement, so its connection must not be used for another.
      await this.#drop(connecting);
      const problem = error instanceof NotWritable ? 'accepts no writes' : 'does not respond';
      throw new LogUnreachable(`PostgreSQL ${problem}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Ends the connection immediately. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#client) await this.#drop(this.#client);
  }

  async #connect(): Promise<pg.Client> {
    const { servers, queryTimeoutMs } = this.#options;
    const client = await servers.connect(queryTimeoutMs());
    this.#connections++;
    client.on('error', () => void this.#forget(client));
    client.on('end', () => void this.#forget(client));
    client.on('notice', (notice) => {
      if (notice.routine === REPLICA_WAIT) this.#isOnlyLocal = true;
    });
    if (this.#onNotification) client.on('notification', this.#onNotification);
    if (this.#isClosed) destroy(client);
    return client;
  }

  /** Connects again for the next statement, unless another connection has taken the place of this one. */
  async #forget(client: pg.Client): Promise<void> {
    const current = this.#client;
    if ((await current?.catch(() => undefined)) === client) await this.#drop(current);
  }

  async #drop(connecting: Promise<pg.Client> | undefined): Promise<void> {
    if (this.#client === connecting) this.#client = undefined;
    const client = await connecting?.catch(() => undefined);
    if (client) destroy(client);
  }
}

/**
 * Whether the server has refused a statement and keeps the connection. By its code, because the severity is in the language of the server: it
 * ends sessions with codes of the other classes.
 */
const isRefusal = (error: unknown): error is pg.DatabaseError & { readonly code: string } =>
  error instanceof Error && REFUSED.test(String((error as Partial<pg.DatabaseError>).code));
