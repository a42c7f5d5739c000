import { randomInt } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
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
  LogUnreachable,
  type ReportedLoss,
} from '../../../../core/ports/log.js';
import { type Change, ReplicatedFiles, type ShardState, tidyLog } from './replicated-files.js';

type End = 'replicated' | 'terminated' | 'failed over';

export interface ReplicatedDatabaseOptions {
  /** Whether a commit is acknowledged only when the replica has it, as with a synchronous standby of PostgreSQL; true if not given. */
  readonly isSynchronous?: boolean;
  /** Milliseconds by the clock of the database. */
  readonly now?: () => number;
  readonly leaseMs?: number;
  /** Whether snapshots may be files; never if not given. */
  readonly mayUseFiles?: () => boolean;
}

type LogOptions = Required<Omit<ReplicatedDatabaseOptions, 'mayUseFiles'>> & { readonly mayUseFiles: (() => boolean) | undefined };

const LEASE_MS = 3_000;
const MAX_EPOCH_STEP = 2 ** 24;

/**
 * A database with a replica, in memory, for logs: what commits and replicas of PostgreSQL do, at the moment that a test chooses. While a
 * commit waits for the replica, no other session sees its change. A session that is ended meanwhile leaves the change behind, so that others see
 * it although the replica does not have it.
 */
export class ReplicatedDatabase {
  readonly #options: LogOptions;
  /** Every change since the database was created: the replica has the first `#replicated` of them. */
  readonly #changes: { readonly shard: string; readonly change: Change }[] = [];
  #shards = new Map<string, ShardState>();
  #replicated = 0;
  #isHeld = false;
  #generation = 0;
  /** Commits that wait for the replica, and how each of them ends. */
  readonly #waiting = new Set<(end: End) => void>();
  /** Writers of a shard wait for each other, as for a lock of a row. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<(shard: string) => void>();

  constructor({ isSynchronous = true, now = () => performance.now(), leaseMs = LEASE_MS, mayUseFiles }: ReplicatedDatabaseOptions = {}) {
    this.#options = { isSynchronous, now, leaseMs, mayUseFiles };
  }

  /** A log as a process opens it. @param afterLoss as the option of `postgresStore` */
  open(owner: string, afterLoss: 'continue' | 'stop' = 'continue'): Log {
    return new ReplicatedLog(this, { ...this.#options, owner, afterLoss });
  }

  /** The replica gets nothing more. */
  holdReplica(): void {
    this.#isHeld = true;
  }

  /** The replica gets everything, and continues to. */
  releaseReplica(): void {
    this.#isHeld = false;
    this.#replicated = this.#changes.length;
    this.#endWaiting('replicated');
  }

  /** Whether a commit waits for the replica. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Ends the sessions whose commits wait for the replica: their changes take effect, and their clients do not know it. */
  endSessions(): void {
    this.#endWaiting('terminated');
  }

  /** The database ends, and its replica takes over with what it has. */
  failOver(): void {
    this.restore(this.#replicated);
  }

  /** A backup, for `restore`. */
  backup(): number {
    return this.#changes.length;
  }

  /** The database is as it was at the time of the backup, and has a replica again. */
  restore(backup: number): void {
    this.#generation++;
    this.#changes.length = backup;
    this.#shards = new Map();
    for (const { shard, change } of this.#changes) change(this.stateOf(shard));
    this.#replicated = backup;
    this.#isHeld = false;
    this.#endWaiting('failed over');
  }

  /** Ends all leases. */
  endLeases(): void {
    for (const { lease } of this.#shards.values()) if (lease) lease.until = Number.NEGATIVE_INFINITY;
  }

  /** For logs: what sessions see of a shard. */
  stateOf(shard: string): ShardState {
    const known = this.#shards.get(shard);
    if (known) return known;
    const state: ShardState = { rows: [], lease: undefined, snapshots: [], files: new Map(), losses: new Map() };
    this.#shards.set(shard, state);
    return state;
  }

  /** For logs: all shards. */
  get shards(): Iterable<ShardState> {
    return this.#shards.values();
  }

  /** For logs: a statement that decides what to write, and its commit. @throws LogUnreachable when the outcome is unknown */
  async write<T>(shard: string, decide: (state: ShardState) => readonly [result: T, change?: Change]): Promise<T> {
    const before = this.#turns.get(shard);
    const written = (async () => {
      await before?.catch(() => undefined);
      return this.#commit(shard, decide);
    })();
    this.#turns.set(shard, written);
    return written;
  }

  async #commit<T>(shard: string, decide: (state: ShardState) => readonly [result: T, change?: Change]): Promise<T> {
    await turn();
    const state = this.stateOf(shard);
    const [result, change] = decide(state);
    if (!change) return result;
    this.#changes.push({ shard, change });
    const end = await this.#replicate();
    if (end !== 'failed over') {
      change(state);
      for (const wake of this.#listeners) wake(shard);
    }
    if (end !== 'replicated') throw new LogUnreachable(`the session was ended: ${end}`);
    return result;
  }

  async #replicate(): Promise<End> {
    if (!this.#isHeld) this.#replicated = this.#changes.length;
    if (!this.#isHeld || !this.#options.isSynchronous) return 'replicated';
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #endWaiting(end: End): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve(end);
  }

  /** For logs: how often the database has been replaced. */
  get generation(): number {
    return this.#generation;
  }

  /** For logs: calls the function after each change of a shard. */
  onChange(listener: (shard: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The log of one process in a `ReplicatedDatabase`. Keeps the contract of logs as `PostgresLog` does, with the same statements. */
class ReplicatedLog implements Log {
  readonly leaseMs: number;
  readonly files?: ReplicatedFiles;
  readonly #database: ReplicatedDatabase;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #afterLoss: 'continue' | 'stop';
  readonly #stopping = new AbortController();
  /** Ended by a stop: statements that wait, and listeners. */
  readonly #ends = new Set<(reason: Error) => void>();
  #onState: ((reason: string | undefined) => void) | undefined;

  constructor(database: ReplicatedDatabase, options: LogOptions & { readonly owner: string; readonly afterLoss: 'continue' | 'stop' }) {
    this.#database = database;
    [this.#owner, this.#now, this.leaseMs, this.#afterLoss] = [options.owner, options.now, options.leaseMs, options.afterLoss];
    const { mayUseFiles } = options;
    if (mayUseFiles)
      this.files = new ReplicatedFiles(
        (...write) => this.#write(...write),
        (shard) => this.#database.stateOf(shard),
        mayUseFiles,
      );
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    const reason = new LogUnreachable('the log is stopped');
    this.#stopping.abort(reason);
    for (const end of this.#ends) end(reason);
  }

  onState(listener: (reason: string | undefined) => void): void {
    this.#onState = listener;
  }

  take(shard: string, onlyReleased = false): Promise<Lease | undefined> {
    return this.#write<Lease | undefined>(shard, ({ lease, rows, losses }) => {
      if (this.#afterLoss === 'stop' && [...losses.values()].some(({ isConfirmed }) => !isConfirmed))
        throw new LogStopped(`shard ${shard} has lost transactions, and no operator has confirmed it`);
      const isFree = !lease || (lease.until < this.#now() && (lease.until === Number.NEGATIVE_INFINITY || !onlyReleased));
      if (!isFree) return [undefined];
      const epoch = Math.max(lease?.epoch ?? 0, rows.at(-1)?.epoch ?? 0) + 1 + randomInt(MAX_EPOCH_STEP);
      const until = this.#now() + this.leaseMs;
      return [{ shard, epoch }, (state) => (state.lease = { owner: this.#owner, epoch, until })];
    });
  }

  async renew({ shard, epoch }: Lease, through?: number): Promise<boolean> {
    const end = await this.#write(shard, ({ lease, rows, losses }) => {
      const isStopped = this.#afterLoss === 'stop' && [...losses.values()].some(({ isConfirmed }) => !isConfirmed);
      if (lease?.owner !== this.#owner || lease.epoch !== epoch || isStopped) return [undefined];
      const until = this.#now() + this.leaseMs;
      return [{ newest: rows.at(-1) }, (state) => (state.lease = { owner: this.#owner, epoch, until })];
    });
    if (end && through !== undefined && (end.newest?.epoch !== epoch || end.newest.last < through)) throw rewound(shard, through);
    return end !== undefined;
  }

  async release({ shard, epoch }: Lease): Promise<void> {
    await this.#write(shard, ({ lease }) =>
      lease?.owner === this.#owner && lease.epoch === epoch
        ? [undefined, (state) => (state.lease = { owner: this.#owner, epoch, until: Number.NEGATIVE_INFINITY })]
        : [undefined],
    );
  }

  async listen(shard: string, wake: () => void): Promise<void> {
    this.#ends.add(this.#database.onChange((changed) => changed === shard && wake()));
  }

  async *read(shard: string, after: LogPosition): AsyncGenerator<readonly LogLines[], void> {
    await turn();
    this.#assertOpen();
    const { rows } = this.#database.stateOf(shard);
    const at = rows.findIndex(({ last }) => last >= after.tx);
    const first = rows[at];
    if (after.tx > 0 && first === undefined && (rows.length > 0 || after.epoch !== undefined)) throw rewound(shard, after.tx);
    const next = after.epoch === undefined ? after.tx + 1 : after.tx;
    if (first && first.first > next) throw new LogTrimmed(`transactions ${next} to ${first.first - 1} of shard ${shard} are missing`);
    if (first && first.first <= after.tx && after.epoch !== undefined && first.epoch !== after.epoch) throw rewound(shard, after.tx);
    const found = at < 0 ? [] : rows.slice(at).filter(({ last }) => last > after.tx);
    if (found.length > 0) yield found;
  }

  async readSnapshot(shard: string): Promise<LogSnapshot | undefined> {
    await turn();
    this.#assertOpen();
    const { generation } = this.#database;
    const snapshot = this.#database.stateOf(shard).snapshots.at(-1);
    const parts = async function* (this: ReplicatedLog): AsyncGenerator<Uint8Array, void> {
      for (const part of snapshot!.parts) {
        await turn();
        if (this.#database.generation !== generation) throw new Error('a part of the snapshot is missing');
        yield part;
      }
    };
    return snapshot && { through: snapshot.through, epoch: snapshot.epoch, parts: parts.call(this) };
  }

  async writeSnapshot(shard: string, { through, epoch, parts }: LogSnapshot): Promise<void> {
    const kept: Uint8Array[] = [];
    for await (const part of parts) kept.push(Buffer.from(part));
    const isThere = await this.#write(shard, ({ rows }) => {
      const row = rows.find(({ first, last }) => first <= through && through <= last);
      if (row?.epoch !== epoch) return [false];
      const change: Change = (state) => {
        if (state.snapshots.at(-1)?.through !== through) state.snapshots.push({ id: `${through}`, through, epoch, parts: kept });
        tidyLog(state);
      };
      return [true, change];
    });
    if (!isThere) throw rewound(shard, through);
  }

  begin({ shard, epoch }: Lease, after: LogPosition, lines: LogLines): Promise<Appended | 'behind'> {
    return this.#untilKnown(async () => {
      const outcome = await this.#write<Appended | 'behind' | 'found'>(shard, ({ rows }) => {
        const newest = rows.at(-1);
        if (newest?.epoch === epoch) return [newest.first === lines.first ? 'found' : 'fenced'];
        if (newest && newest.epoch > epoch) return ['fenced'];
        const isAtEnd = newest ? newest.last === after.tx && (after.epoch ?? newest.epoch) === newest.epoch : after.epoch === undefined;
        return isAtEnd ? ['durable', added(lines, epoch)] : ['behind'];
      });
      return outcome === 'found' ? this.#replicated(shard) : outcome;
    });
  }

  append({ shard, epoch }: Lease, lines: LogLines): Promise<Appended> {
    return this.#untilKnown(async () => {
      const outcome = await this.#write<Appended | 'found'>(shard, ({ rows }) => {
        if (rows.some((row) => row.first === lines.first && row.epoch === epoch)) return ['found'];
        const newest = rows.at(-1);
        const isNext = newest?.last === lines.first - 1 && newest.epoch === epoch;
        return isNext ? ['durable', added(lines, epoch)] : ['fenced'];
      });
      return outcome === 'found' ? this.#replicated(shard) : outcome;
    });
  }

  async reportLoss(loss: LogLoss): Promise<void> {
    await this.#write(loss.shard, () => [
      undefined,
      ({ losses }) => {
        const known = losses.get(loss.id);
        const more = !known || loss.last > known.last ? { ...loss, at: new Date(0).toISOString(), isConfirmed: false } : known;
        losses.set(loss.id, { ...more, isAcknowledged: loss.isAcknowledged || (known?.isAcknowledged ?? false) });
      },
    ]);
  }

  async losses(): Promise<readonly ReportedLoss[]> {
    await turn();
    return [...this.#database.shards].flatMap(({ losses }) => [...losses.values()]);
  }

  async confirmLoss(id: string): Promise<boolean> {
    const loss = (await this.losses()).find((one) => one.id === id);
    if (!loss) return false;
    await this.#write(loss.shard, () => [undefined, ({ losses }) => void losses.set(id, { ...loss, isConfirmed: true })]);
    return true;
  }

  /** A write that finds its own row is acknowledged when a later commit is on the replica: only then is the row. */
  #replicated(shard: string): Promise<Appended> {
    return this.#write(shard, () => ['durable', () => undefined]);
  }

  async #write<T>(shard: string, decide: (state: ShardState) => readonly [result: T, change?: Change]): Promise<T> {
    this.#assertOpen();
    const written = this.#database.write(shard, decide);
    const stopped = new Promise<never>((_, reject) => {
      this.#ends.add(reject);
      written.then(
        () => this.#ends.delete(reject),
        () => this.#ends.delete(reject),
      );
    });
    return Promise.race([written, stopped]);
  }

  async #untilKnown<T>(append: () => Promise<T>): Promise<T> {
    for (let hasFailed = false; ; ) {
      try {
        const outcome = await append();
        if (hasFailed) this.#onState?.(undefined);
        return outcome;
      } catch (error) {
        this.#assertOpen();
        if (!(error instanceof LogUnreachable)) throw error;
        hasFailed = true;
        this.#onState?.(error.message);
      }
    }
  }

  #assertOpen(): void {
    this.#stopping.signal.throwIfAborted();
  }
}

const added = ({ first, last, lines }: LogLines, epoch: number): Change => {
  const row = { first, last, epoch, lines: Buffer.from(lines) };
  return ({ rows }) => void rows.push(row);
};

const rewound = (shard: string, tx: number): LogRewound => new LogRewound(`transaction ${tx} of shard ${shard} is not in the log any more`);
