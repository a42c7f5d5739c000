import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import type { Appended, Lease, Log, LogLines, LogSnapshot } from '../../ports/log.js';
import { Connection, UniqueKeyTaken } from './connection.js';
import { directoryChannel } from './directory-tables.js';
import { prepare, type Tables, tablesIn } from './schema.js';
import { SnapshotTables } from './snapshot-tables.js';

export interface PostgresLogOptions {
  /** `postgres://user:password@host/database`, with the parameters of libpq such as `sslmode`. */
  readonly url: string;
  /** The schema of the tables; `posthorn` if not given. */
  readonly schema?: string;
  /** Real milliseconds after which another process may take over a shard whose owner does not renew its lease; 3,000 if not given. */
  readonly leaseMs?: number;
  /** Real milliseconds after which a query without a response is sent again over a new connection; half of a lease if not given. */
  readonly queryTimeoutMs?: number;
  /** The name of this process in leases; a random one if not given. */
  readonly owner?: string;
}

export const LEASE_MS = 3_000;
/** Pauses between attempts while the database does not respond. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [25, 500];
/** Limits of one query. A row has up to 256 KiB, unless a transaction is larger. */
const [ROWS_PER_READ, BYTES_PER_READ] = [1_000, 8 * 1024 * 1024];

interface StoredRow {
  readonly first: string;
  readonly last: string;
  readonly epoch: string;
}

/**
 * A log in a table of PostgreSQL. The table fences: an append names the last transaction before it, and succeeds only if this owner has
 * written that one, and no row follows it.
 */
export class PostgresLog implements Log {
  readonly leaseMs: number;
  readonly #tables: Tables;
  readonly #owner: string;
  /** Appends do not wait for reads, nor leases for either. */
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #leases: Connection;
  readonly #listener: Connection;
  readonly #snapshots: SnapshotTables;
  readonly #stopping = new AbortController();
  #wake: (() => void) | undefined;
  #onState: ((reason: string | undefined) => void) | undefined;
  #isAway = false;

  constructor({ url, schema = 'posthorn', leaseMs = LEASE_MS, queryTimeoutMs = leaseMs / 2, owner = randomUUID() }: PostgresLogOptions) {
    this.#owner = owner;
    const options = { url, queryTimeoutMs };
    this.leaseMs = leaseMs;
    this.#tables = tablesIn(schema);
    this.#writer = new Connection(options);
    this.#reader = new Connection(options);
    this.#snapshots = new SnapshotTables(this.#reader, this.#tables, this.#stopping.signal);
    // A renewal that hangs must leave time for another before the lease ends.
    this.#leases = new Connection({ url, queryTimeoutMs: Math.min(queryTimeoutMs, leaseMs / 4) });
    this.#listener = new Connection(options, () => this.#wake?.());
  }

  start(): Promise<void> {
    return prepare(this.#reader, this.#tables);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the log is stopped'));
    await Promise.all([this.#writer, this.#reader, this.#leases, this.#listener].map((connection) => connection.close()));
  }

  onState(listener: (reason: string | undefined) => void): void {
    this.#onState = listener;
  }

  async take(shard: string, onlyReleased = false): Promise<Lease | undefined> {
    const { log, leases } = this.#tables;
    // The epoch exceeds that of every row, even if an operator has deleted the leases.
    const [taken] = await this.#leases.query<{ epoch: string }>({
      text: `
        with taken as (
          insert into ${leases} as known (shard, owner, epoch, until)
          values ($1, $2, 1 + coalesce((select epoch from ${log} where shard = $1 order by first desc limit 1), 0), ${until('$3')})
          on conflict (shard) do update
            set owner = excluded.owner, epoch = greatest(known.epoch + 1, excluded.epoch), until = excluded.until
            where known.until < clock_timestamp() and (known.until = '-infinity' or not $4)
          returning epoch
        ) select epoch, pg_notify($5, '') from taken`,
      values: [shard, this.#owner, this.leaseMs, onlyReleased, directoryChannel(this.#tables.schema)],
    });
    return taken && { shard, epoch: Number(taken.epoch) };
  }

  async renew({ shard, epoch }: Lease): Promise<boolean> {
    const rows = await this.#leases.query({
      text: `update ${this.#tables.leases} set until = ${until('$4')} where shard = $1 and owner = $2 and epoch = $3 returning 1`,
      values: [shard, this.#owner, epoch, this.leaseMs],
    });
    return rows.length > 0;
  }

  async release({ shard, epoch }: Lease): Promise<void> {
    await this.#leases.query({
      text: `
        with released as (
          update ${this.#tables.leases} set until = '-infinity' where shard = $1 and owner = $2 and epoch = $3 returning 1
        ) select pg_notify(channel, '') from released, unnest($4::text[]) as channel`,
      values: [shard, this.#owner, epoch, [this.#channel(shard), directoryChannel(this.#tables.schema)]],
    });
  }

  /** Calls the function after appends and releases of other processes. It may miss some, so the caller looks by itself as well. */
  async listen(shard: string, wake: () => void): Promise<void> {
    this.#wake = wake;
    // Repeated from time to time, because a silent network reports no loss of the connection.
    await this.#listener.query({ text: `listen "${this.#channel(shard)}"` });
  }

  async *read(shard: string, after: number): AsyncGenerator<readonly LogLines[], void> {
    const { log } = this.#tables;
    // The row that holds transaction `after + 1` may begin before it.
    const text = `
      select first, last, lines from (
        select first, last, lines, sum(octet_length(lines)) over (order by first) - octet_length(lines) as bytes_before from (
          select first, last, lines from ${log}
          where shard = $1 and first >= coalesce((select first from ${log} where shard = $1 and first <= $2 order by first desc limit 1), 0)
            and last >= $2
          order by first limit ${ROWS_PER_READ}
        ) as next
      ) as sized where bytes_before < ${BYTES_PER_READ} order by first`;
    for (let next = after + 1; ; ) {
      const rows = await this.#reader.query<StoredRow & { readonly lines: Buffer }>({ name: 'read', text, values: [shard, next] });
      const found: LogLines[] = [];
      for (const { first, last, lines } of rows) {
        if (Number(first) > next) throw new Error(`transactions ${next} to ${Number(first) - 1} of shard ${shard} are missing in ${log}`);
        found.push({ first: Number(first), last: Number(last), lines });
        next = Number(last) + 1;
      }
      if (found.length === 0) return;
      yield found;
    }
  }

  readSnapshot(shard: string): Promise<LogSnapshot | undefined> {
    return this.#snapshots.newest(shard);
  }

  writeSnapshot(shard: string, snapshot: LogSnapshot): Promise<void> {
    return this.#snapshots.write(shard, snapshot);
  }

  async begin({ shard, epoch }: Lease, { first, last, lines }: LogLines): Promise<Appended | 'behind'> {
    const { log } = this.#tables;
    const newest = `(select last, epoch from ${log} where shard = $1 order by first desc limit 1)`;
    return this.#untilKnown(async () => {
      const added = await this.#add({
        text: `
          insert into ${log} (shard, first, last, epoch, lines)
          select $1, $2, $3, $4, $5
          where not exists (select 1 from ${newest} newest where newest.last <> $2::bigint - 1 or newest.epoch >= $4)
          returning 1`,
        values: [shard, first, last, epoch, lines],
      });
      if (added) return 'durable';
      const [stored] = await this.#writer.query<StoredRow>({
        text: `select first, epoch from ${log} where shard = $1 order by first desc limit 1`,
        values: [shard],
      });
      if (Number(stored?.epoch ?? 0) === epoch) return Number(stored!.first) === first ? 'durable' : 'fenced';
      return Number(stored?.epoch ?? 0) > epoch ? 'fenced' : 'behind';
    });
  }

  append({ shard, epoch }: Lease, { first, last, lines }: LogLines): Promise<Appended> {
    const { log } = this.#tables;
    return this.#untilKnown(async () => {
      const added = await this.#add({
        name: 'append',
        text: `
          with added as (
            insert into ${log} (shard, first, last, epoch, lines)
            select $1, $2, $3, $4, $5
            where exists (
              select 1 from (select last, epoch from ${log} where shard = $1 and first < $2 order by first desc limit 1) before
              where before.last = $2::bigint - 1 and before.epoch = $4
            )
            returning 1
          ) select pg_notify($6, '') from added`,
        values: [shard, first, last, epoch, lines, this.#channel(shard)],
      });
      if (added) return 'durable';
      // An append that was sent again finds its own row, if the first one had taken effect.
      const [stored] = await this.#writer.query<StoredRow>({
        text: `select epoch from ${log} where shard = $1 and first = $2`,
        values: [shard, first],
      });
      return Number(stored?.epoch ?? 0) === epoch ? 'durable' : 'fenced';
    });
  }

  /** @returns false when the row was refused by its key or by the row before it */
  async #add(statement: Parameters<Connection['query']>[0]): Promise<boolean> {
    try {
      return (await this.#writer.query(statement)).length > 0;
    } catch (error) {
      if (error instanceof UniqueKeyTaken) return false;
      throw error;
    }
  }

  /**
   * Sends an append again until its outcome is known. While the first one runs, the second waits for its row; then it is refused by the
   * key, or goes in because the first one was rolled back. A mere look could come before the first one commits.
   */
  async #untilKnown<T>(append: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const outcome = await append();
        if (this.#isAway) this.#report(undefined);
        return outcome;
      } catch (error) {
        this.#stopping.signal.throwIfAborted();
        // Any other error, such as a full disk, can end without this process.
        this.#report(messageOf(error));
        await sleep(pauseMs, undefined, { signal: this.#stopping.signal });
      }
    }
  }

  #report(reason: string | undefined): void {
    this.#isAway = reason !== undefined;
    this.#onState?.(reason);
  }

  #channel(shard: string): string {
    return `${this.#tables.schema}_${shard}`;
  }
}

/** By the clock of the database, which all processes share. */
const until = (milliseconds: string): string => `clock_timestamp() + ${milliseconds} * interval '1 millisecond'`;
