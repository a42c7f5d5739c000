import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#core/ports';
import { messageOf } from '../../../core/errors.js';
import {
  type Appended,
  type Lease,
  type Log,
  type LogLines,
  type LogLoss,
  type LogPosition,
  LogRewound,
  type LogSnapshot,
  LogStopped,
  LogTrimmed,
  type ReportedLoss,
} from '../../../core/ports/log.js';
import { Connection, UniqueKeyTaken } from './connection.js';
import { directoryChannel } from './directory-tables.js';
import { nextEpoch, randomPart } from './epochs.js';
import { agreeOnTerm, BEATS, LeaseTerm } from './lease-term.js';
import { confirmLoss, readLosses, storeLoss, unconfirmedLoss } from './loss-table.js';
import { replicationProblem } from './replication.js';
import { prepare, type Tables, tablesIn } from './schema.js';
import type { Servers } from './servers.js';
import { READS_FILES, SnapshotFiles } from './snapshot-files.js';
import { SnapshotTables } from './snapshot-tables.js';

export interface PostgresLogOptions {
  readonly servers: Servers;
  /** The schema of the tables; `posthorn` if not given. */
  readonly schema?: string;
  /** Real milliseconds after which another process may take over a shard whose owner does not renew its lease; 3,000 if not given. */
  readonly leaseMs?: number;
  /** Instead of `leaseMs`: the length of leases that other logs of this process share. */
  readonly term?: LeaseTerm;
  /** Real milliseconds after which a query without a response is sent again over a new connection; half of a lease if not given. */
  readonly queryTimeoutMs?: number;
  /** The name of this process in leases; a random one if not given. */
  readonly owner?: string;
  /** Whether snapshots may be files: in a cluster, whether all its processes read them. If not given, the owner's name tells. */
  readonly mayUseFiles?: () => boolean;
  readonly log: Logger;
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
 * written that one, and no row follows it. An append is acknowledged when the replica has it, if commits wait for one.
 */
export class PostgresLog implements Log {
  readonly #servers: Servers;
  readonly #tables: Tables;
  readonly #owner: string;
  readonly #log: Logger;
  readonly #term: LeaseTerm;
  /** Whether no other log of this process shares the term. */
  readonly #isAlone: boolean;
  /** Appends do not wait for reads, nor leases for either. */
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #leases: Connection;
  readonly #listener: Connection;
  readonly #snapshots: SnapshotTables;
  readonly files: SnapshotFiles;
  readonly #stopping = new AbortController();
  #wake: (() => void) | undefined;
  #onState: ((reason: string | undefined) => void) | undefined;
  #isAway = false;
  /** Whether the tables can store losses, the length of leases, and files of snapshots. */
  #isExtended = false;
  /** When the newest renewal was sent; undefined if it failed. */
  #renewedAt: number | undefined;

  constructor({ servers, schema = 'posthorn', leaseMs = LEASE_MS, term, queryTimeoutMs, log, ...more }: PostgresLogOptions) {
    const { owner = `${randomUUID()}${READS_FILES}`, mayUseFiles } = more;
    [this.#servers, this.#owner, this.#log] = [servers, owner, log];
    this.#isAlone = term === undefined;
    this.#term = term ?? new LeaseTerm({ baseMs: leaseMs, log });
    this.#tables = tablesIn(schema);
    const timeout = () => queryTimeoutMs ?? this.leaseMs / 2;
    const options = { servers, queryTimeoutMs: timeout };
    this.#writer = new Connection(options);
    this.#reader = new Connection(options);
    const [connection, tables, hasTables] = [this.#reader, this.#tables, () => this.#isExtended];
    const snapshots = new SnapshotTables(connection, tables, this.#stopping.signal, hasTables);
    this.#snapshots = snapshots;
    this.files = new SnapshotFiles({ connection, tables, snapshots, hasTables, mayUseFiles });
    // A renewal that hangs must leave time for another before the lease ends.
    this.#leases = new Connection({ servers, queryTimeoutMs: () => Math.min(timeout(), this.leaseMs / 4) });
    this.#listener = new Connection(options, () => this.#wake?.());
  }

  get leaseMs(): number {
    return this.#term.ms;
  }

  async start(): Promise<void> {
    this.#isExtended = await prepare(this.#reader, this.#tables);
    if (!this.#isExtended)
      this.#log.warn(
        'this role may not add tables and columns of this release; lost transactions are only logged, leases keep their length, and all documents stay in memory',
      );
    if (!this.#isAlone) return;
    const problem = await replicationProblem(this.#reader);
    if (problem !== undefined) this.#log.warn(problem);
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
    const stopped = this.#isStopped('$1');
    // The epoch exceeds that of every row, even if an operator has deleted the leases.
    const newest = `coalesce((select epoch from ${log} where shard = $1 order by first desc limit 1), 0)`;
    const [taken] = await this.#leases.query<{ epoch: string | null; stopped: boolean }>({
      text: `
        with taken as (
          insert into ${leases} as known (shard, owner, epoch, until)
          select $1, $2, ${nextEpoch(newest, '$6')}, ${until('$3')} where not ${stopped}
          on conflict (shard) do update
            set owner = excluded.owner, epoch = greatest(${nextEpoch('known.epoch', '$6')}, excluded.epoch), until = excluded.until
            where known.until < clock_timestamp() and (known.until = '-infinity' or not $4)
          returning epoch
        ) select (select epoch from taken) as epoch, ${stopped} as stopped, (select pg_notify($5, '') from taken)`,
      values: [shard, this.#owner, this.leaseMs, onlyReleased, directoryChannel(this.#tables.schema), randomPart()],
    });
    await this.#agree();
    this.#renewedAt = undefined;
    if (taken!.epoch !== null) return { shard, epoch: Number(taken!.epoch) };
    if (taken!.stopped) throw new LogStopped(`shard ${shard} has lost transactions, and no operator has confirmed it`);
    return undefined;
  }

  async renew({ shard, epoch }: Lease, through?: number): Promise<boolean> {
    const { log, leases } = this.#tables;
    const sentAt = performance.now();
    const dueAt = this.#renewedAt === undefined ? sentAt : this.#renewedAt + this.leaseMs / BEATS;
    this.#renewedAt = undefined;
    const [renewed] = await this.#leases.query<{ whole: boolean | null }>({
      text: `
        update ${leases} set until = ${until('$4')} where shard = $1 and owner = $2 and epoch = $3 and not ${this.#isStopped('$1')}
        returning (select last >= $5::bigint and epoch = $3 from ${log} where shard = $1 order by first desc limit 1) as whole`,
      values: [shard, this.#owner, epoch, this.leaseMs, through ?? null],
    });
    this.#renewedAt = sentAt;
    this.#term.late(performance.now() - Math.min(dueAt, sentAt));
    await this.#agree();
    if (renewed && through !== undefined && renewed.whole !== true) throw rewound(shard, through);
    return renewed !== undefined;
  }

  /** In a cluster, the directory does it for all logs of the process. */
  async #agree(): Promise<void> {
    if (this.#isAlone && this.#isExtended) await agreeOnTerm(this.#leases, this.#tables, this.#term);
  }

  /** A condition: a loss keeps everyone from owning the shard. */
  #isStopped(shard: string): string {
    return this.#servers.afterLoss === 'stop' && this.#isExtended ? unconfirmedLoss(this.#tables, shard) : 'false';
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

  async *read(shard: string, after: LogPosition): AsyncGenerator<readonly LogLines[], void> {
    const { log } = this.#tables;
    // Also the row that has the last transaction of the reader, without its lines: it tells whether the log still has it.
    const text = `
      select first, last, epoch, lines from (
        select first, last, epoch, lines, sum(octet_length(lines)) over (order by first) - octet_length(lines) as bytes_before from (
          select first, last, epoch, case when last > $2 then lines else '' end as lines from ${log}
          where shard = $1 and first >= coalesce((select first from ${log} where shard = $1 and first <= $2 order by first desc limit 1), 0)
          order by first limit ${ROWS_PER_READ}
        ) as next
      ) as sized where bytes_before < ${BYTES_PER_READ} order by first`;
    for (let at = after; ; ) {
      const rows = await this.#reader.query<StoredRow & { readonly lines: Buffer }>({ name: 'read', text, values: [shard, at.tx] });
      const stored = rows.map(({ first, last, epoch, lines }) => ({
        first: Number(first),
        last: Number(last),
        epoch: Number(epoch),
        lines,
      }));
      if (at.tx > 0 && isRewound(stored, at)) throw rewound(shard, at.tx);
      const found: LogLines[] = [];
      let next = at.epoch === undefined ? at.tx + 1 : at.tx;
      for (const row of stored) {
        if (row.first > next) throw new LogTrimmed(`transactions ${next} to ${row.first - 1} of shard ${shard} are missing in ${log}`);
        next = row.last + 1;
        if (row.last > at.tx) found.push(row);
      }
      if (found.length === 0) return;
      yield found;
      const { last, epoch } = found.at(-1)!;
      at = { tx: last, epoch };
    }
  }

  readSnapshot(shard: string): Promise<LogSnapshot | undefined> {
    return this.#snapshots.newest(shard);
  }

  writeSnapshot(shard: string, snapshot: LogSnapshot): Promise<void> {
    return this.#snapshots.write(shard, snapshot);
  }

  async begin({ shard, epoch }: Lease, after: LogPosition, { first, last, lines }: LogLines): Promise<Appended | 'behind'> {
    const { log } = this.#tables;
    const newest = `(select last, epoch from ${log} where shard = $1 order by first desc limit 1)`;
    return this.#untilKnown(async () => {
      const added = await this.#add({
        text: `
          insert into ${log} (shard, first, last, epoch, lines)
          select $1, $2, $3, $4, $5
          where case when exists (select 1 from ${newest} newest)
            then exists (select 1 from ${newest} newest
              where newest.last = $2::bigint - 1 and newest.epoch < $4 and newest.epoch = coalesce($6, newest.epoch))
            else $6::bigint is null end
          returning 1`,
        values: [shard, first, last, epoch, lines, after.epoch ?? null],
      });
      if (added) return 'durable';
      const stored = await this.#look('where shard = $1 order by first desc limit 1', [shard, epoch]);
      if (stored?.epoch === epoch) return stored.first === first ? 'durable' : 'fenced';
      return stored && stored.epoch > epoch ? 'fenced' : 'behind';
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
      const stored = await this.#look('where shard = $1 and first = $3', [shard, epoch, first]);
      return stored?.epoch === epoch ? 'durable' : 'fenced';
    });
  }

  async reportLoss(loss: LogLoss): Promise<void> {
    if (this.#isExtended) await storeLoss(this.#writer, this.#tables, loss);
  }

  async losses(): Promise<readonly ReportedLoss[]> {
    return this.#isExtended ? readLosses(this.#reader, this.#tables) : [];
  }

  async confirmLoss(id: string): Promise<boolean> {
    return this.#isExtended && confirmLoss(this.#writer, this.#tables, id);
  }

  /**
   * A stored row. If it is of this epoch, this session writes something after it: a row that another session has left behind may be on this
   * server only, and it is on the replica when a later commit is.
   */
  async #look(where: string, values: readonly unknown[]): Promise<{ readonly first: number; readonly epoch: number } | undefined> {
    const [row] = await this.#writer.query<StoredRow>({
      text: `
        select first, epoch, case when epoch = $2 then pg_logical_emit_message(true, 'posthorn', '') end
        from (select first, epoch from ${this.#tables.log} ${where}) as stored`,
      values,
    });
    return row && { first: Number(row.first), epoch: Number(row.epoch) };
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

/** @param stored the row with the first transaction up to the position, if there is one, and those behind it */
function isRewound([head, ...behind]: readonly Required<LogLines>[], { tx, epoch }: LogPosition): boolean {
  if (!head) return epoch !== undefined;
  if (head.first <= tx && tx <= head.last) return epoch !== undefined && head.epoch !== epoch;
  // With rows behind it, some between are missing.
  return head.last < tx && behind.length === 0;
}

const rewound = (shard: string, tx: number): LogRewound =>
  new LogRewound(`transaction ${tx} of shard ${shard} is not in the log any more: the database has lost it`);
