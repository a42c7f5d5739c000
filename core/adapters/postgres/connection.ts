import type pg from 'pg';
import { messageOf } from '../../errors.js';
import { lazy } from '../../lazy.js';
import { LogUnreachable } from '../../ports/log.js';

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

/** How a connection to PostgreSQL is made. */
export interface ConnectionOptions {
  readonly url: string;
  /** Real milliseconds after which a connection or a query that got no response counts as lost. */
  readonly queryTimeoutMs: number;
}

/** A row with this key exists. */
export class UniqueKeyTaken extends Error {
  override readonly name = 'UniqueKeyTaken';
}

const UNIQUE_VIOLATION = '23505';

/** One statement; a name makes the server keep its plan. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** One connection, which is made again when it is needed after a loss. Statements run one after the other. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #onNotification: (() => void) | undefined;
  #client: Promise<pg.Client> | undefined;
  #isClosed = false;
  /** The newest statement. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ConnectionOptions, onNotification?: () => void) {
    this.#options = options;
    this.#onNotification = onNotification;
  }

  /** Whether the next statement has to connect first. */
  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /**
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
      const { name, text, values } = statement;
      const result = await client.query<Row>({ ...(name !== undefined && { name }), text, values: values as unknown[] });
      return result.rows;
    } catch (error) {
      if (isRefusal(error)) {
        if (error.code === UNIQUE_VIOLATION) throw new UniqueKeyTaken(error.message);
        throw new LogUnreachable(`PostgreSQL refuses a statement: ${error.message}`, { cause: error });
      }
      // The server may still run the statement, so its connection must not be used for another.
      await this.#drop(connecting);
      throw new LogUnreachable(`PostgreSQL does not respond: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Ends the connection immediately. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#client) await this.#drop(this.#client);
  }

  async #connect(): Promise<pg.Client> {
    const { url, queryTimeoutMs } = this.#options;
    const { Client } = await driver.get();
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: queryTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      application_name: 'posthorn',
    });
    const connecting = client.connect();
    // Without a listener, a lost connection would end the process.
    client.on('error', () => void this.#forget(client));
    if (this.#onNotification) client.on('notification', this.#onNotification);
    try {
      await connecting;
      // An acknowledged transaction must be on the disk of the server, also if its configuration allows otherwise.
      await client.query("select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'");
    } catch (error) {
      destroy(client);
      throw error;
    }
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

/** Ends a connection without waiting for the server, which may not respond any more. */
function destroy(client: pg.Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection;
  stream.destroy();
}

/** Whether the server has refused a statement and keeps the connection. */
const isRefusal = (error: unknown): error is pg.DatabaseError =>
  error instanceof Error && (error as Partial<pg.DatabaseError>).severity === 'ERROR';

/** Node reports a refused connection to several addresses without a message of its own. */
const reasonOf = (error: unknown): string => messageOf(error instanceof AggregateError ? error.errors[0] : error);
