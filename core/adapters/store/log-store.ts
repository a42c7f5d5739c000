import { setTimeout as sleep } from 'node:timers/promises';
import type { Heap } from '../../ports/heap.js';
import { type Lease, type Log, type LogLines, LogRewound, LogStopped, LogTrimmed, LogUnreachable } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';
import {
  type CollectionType,
  type LiveOwner,
  type LiveType,
  type OpenCollection,
  type Ownership,
  type Store,
  type StoreHealth,
  type StoreTransaction,
  StoreUnavailable,
} from '../../ports/store.js';
import type { TenantType } from '../../ports/tenant.js';
import { nodeFileSystem } from '../file-system.js';
import { ColdTables } from './cold-tables.js';
import { emptyCommit } from './files/journal-file.js';
import { GroupCommit } from './group-commit.js';
import { type LoadRoom, loadRoom } from './load-room.js';
import { LogFolder } from './log-folder.js';
import { type Applied, LogSnapshots, RESTORE } from './log-snapshots.js';
import type { LogPosition, LogStoreOptions } from './log-store-options.js';
import { LogWake } from './log-wake.js';
import { LostLines } from './lost-lines.js';
import { Records } from './tables/records.js';
import { Tail } from './tail.js';
import { Tenure } from './tenure.js';

const STOP_LIMIT_MS = 10_000;
const LOOK_LIMIT_MS = 1_000;

/**
 * Keeps documents in memory and appends each transaction to a log that several processes share. One process owns the data; the others
 * apply its transactions as they appear, and one of them takes over when its lease ends.
 */
export class LogStore implements Store {
  readonly ownership: Ownership;
  readonly losses: LostLines;
  readonly #lines: Log;
  readonly #shard: string;
  readonly #log: Logger;
  readonly #name: string;
  readonly #heap: Heap | undefined;
  readonly #records: Records;
  readonly #commits: GroupCommit;
  readonly #snapshots: LogSnapshots;
  readonly #cold: ColdTables;
  readonly #wake: LogWake;
  readonly #stopping = new AbortController();
  readonly #standbyListeners: (() => void)[] = [];
  readonly #refusalListeners: ((reason: string) => void)[] = [];
  readonly #types = new Map<string, TenantType>();
  #role: 'new' | 'standby' | 'owner' | 'lost' = 'new';
  #lease: Lease | undefined;
  #tail: Tail | undefined;
  #flushMs: number | undefined;
  #tenure: Tenure | undefined;
  #lastDurable = 0;
  /** Whether a loss keeps everyone from owning the data. */
  #isStopped = false;
  /** Why appends wait for the log. */
  #waitingFor: string | undefined;
  #hasFailed = false;
  /** As a standby: when the log was last unreachable. */
  #unreachableAt = Number.NEGATIVE_INFINITY;
  #isUnreachable = false;

  constructor({ lines, log, name, heap, batchBytes, snapshotEveryBytes, shard = 'main', partBytes, ...more }: LogStoreOptions) {
    this.#shard = shard;
    this.#wake = new LogWake(lines, shard);
    const folder = lines.files && new LogFolder({ files: lines.files, shard });
    const now = () => performance.now();
    this.#cold = new ColdTables({ ...more, fs: folder ?? nodeFileSystem, folder: shard, log, now });
    const tables = () => this.#records;
    this.#snapshots = new LogSnapshots({
      ...{ lines, shard, log, folder, tables, partBytes, now },
      everyBytes: snapshotEveryBytes,
      cold: this.#cold,
    });
    this.#lines = lines;
    this.#log = log;
    this.#name = name;
    this.#heap = heap;
    this.#records = new Records({
      log,
      name,
      write: (commit, apply) => this.#commits.append(commit, apply),
      assertUsable: () => this.#assertOwned(),
      ...(folder && { tableOf: (collection, type) => this.#cold.tableOf(collection, type) }),
    });
    this.#commits = new GroupCommit({
      write: (lines) => this.#append(lines),
      onDurable: (tx) => {
        this.#lastDurable = tx;
        this.#records.durable(tx);
      },
      onFailure: (error) => this.#fail(error),
      ...(batchBytes !== undefined && { batchBytes }),
    });
    lines.onState?.((reason) => this.#waits(reason));
    this.ownership = {
      refusal: () => this.#refusal(),
      onRefusal: (listener) => void this.#refusalListeners.push(listener),
      onStandby: (listener) => void this.#standbyListeners.push(listener),
      interrupt: () => this.#interrupt(),
    };
    this.losses = new LostLines({ lines, shard, log, name, types: this.#types });
  }

  health(): StoreHealth {
    if (this.#role === 'standby') return { state: 'standby', reason: this.#isStopped ? STOPPED : STANDBY };
    const health = this.#records.health();
    const damaged = this.#cold.damaged(RESTORE);
    if (health.state === 'open' && this.#waitingFor !== undefined) return { state: 'waiting', reason: this.#waitingFor, ...damaged };
    return { ...health, ...damaged };
  }

  offHeapBytes(): number {
    const { tables, cache } = this.#cold;
    return tables.reduce((sum, { cold }) => sum + cold.bufferBytes, cache.bufferBytes);
  }

  /** As the owner: writes a snapshot, and lets documents leave memory that are in it. The store does so by itself when the log has grown. */
  compact(): Promise<void> {
    return this.#snapshots.compact(() => this.#applied);
  }

  /** Immediately, because a standby may write the next snapshot. */
  purge(): Promise<void> {
    return this.#snapshots.compact(() => this.#applied, true);
  }

  get #applied(): Applied {
    const isOwner = this.#role === 'owner';
    return { tx: isOwner ? this.#lastDurable : this.#tail!.lastTx, isOwner, tail: this.#tail! };
  }

  /** How far this process is. */
  position(): LogPosition {
    const role = this.#role === 'new' ? 'starting' : this.#role;
    const isOwner = this.#role === 'owner' || this.#role === 'lost';
    const transaction = isOwner ? this.#lastDurable : (this.#tail?.lastTx ?? 0);
    return { role, transaction, ...(this.#flushMs !== undefined && { flushMs: this.#flushMs }) };
  }

  onHealth(listener: (health: StoreHealth) => void): void {
    this.#records.onHealth(listener);
  }

  define<T extends object>(name: string, type: CollectionType<T>): void {
    this.#records.define(name, type);
    this.#types.set(name, type);
  }

  defineLive<T extends object>(name: string, type: LiveType<T>, owner: LiveOwner<T>): void {
    this.#records.defineLive(name, type, owner);
    this.#types.set(name, type);
  }

  durable(): Promise<void> {
    return this.#records.allDurable();
  }

  transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    return this.#records.transaction(work);
  }

  open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    return this.#records.open(type);
  }

  /** Resolves when this process owns the data; until then it is a standby. */
  async start(): Promise<void> {
    if (this.#role !== 'new') throw new StoreUnavailable('the store is already started');
    try {
      await this.#lines.start();
      const tail = new Tail(this.#records.tables, this.#records.lives);
      this.#tail = tail;
      const room = loadRoom(this.#heap, this.#name, { totalBytes: 0, snapshotBytes: 0 });
      for (let isLoaded = false; ; ) {
        try {
          if (!isLoaded) await this.#load(tail, room);
          isLoaded = true;
          if (await this.#takeOver(tail, room)) return;
          this.#standBy();
          await this.#snapshots.tend(() => this.#applied);
        } catch (error) {
          if (!(error instanceof LogRewound) && !(isLoaded && error instanceof LogTrimmed)) throw error;
          this.#log.warn(error instanceof LogTrimmed ? TRIMMED : REWOUND, { store: this.#name, error });
          await this.losses.look();
          await tail.reset();
          this.#cold.reset();
          this.losses.clear();
          isLoaded = false;
        }
        await this.#wake.next();
      }
    } catch (error) {
      await this.#tenure?.end();
      await this.#lines.stop();
      throw error;
    }
  }

  async stop(limitMs = STOP_LIMIT_MS): Promise<void> {
    const began = performance.now();
    this.#stopping.abort(new StoreUnavailable('the store is stopped'));
    this.#snapshots.end();
    this.#wake.wake();
    await this.#records.close(limitMs);
    const leftMs = Math.max(0, limitMs - (performance.now() - began));
    // A log that does not come back must not hold up the stop. Callers then get an error, and do not know the outcome.
    await Promise.race([Promise.all([this.#commits.idle(), this.losses.idle()]), sleep(leftMs, undefined, { ref: false })]);
    this.losses.stop();
    await this.#tenure?.end();
    if (this.#lease && this.#role === 'owner')
      await this.#lines
        .release(this.#lease)
        .catch((error) => this.#log.warn('the lease could not be released; it ends by itself', { error }));
    await this.#lines.stop();
    await Promise.all([this.#commits.idle(), this.#snapshots.idle()]);
    await this.#cold.stop();
  }

  /** Rejects: only a restart helps a process that has lost the data to another. */
  async reopen(): Promise<void> {
    if (this.#records.state === 'failed') throw new StoreUnavailable(this.#refusal() ?? 'restart this process');
  }

  /** @returns whether this process owns the data now */
  async #takeOver(tail: Tail, room: LoadRoom): Promise<boolean> {
    this.#stopping.signal.throwIfAborted();
    try {
      await this.#readOn(tail, room);
      const takenAt = performance.now();
      // After an outage, the owner gets the time of a lease to renew its own before another process takes it.
      const isAfterOutage = takenAt - this.#unreachableAt < (this.#lines.leaseMs ?? 0);
      const { leaseMs } = this.#lines;
      const lease = await this.#lines.take(this.#shard, isAfterOutage);
      if (this.#isUnreachable) this.#log.info('the log can be reached again', { store: this.#name });
      this.#isUnreachable = false;
      this.#isStopped = false;
      if (!lease) return false;
      return await this.#begin(tail, room, { lease, takenAt, leaseMs });
    } catch (error) {
      if (error instanceof LogStopped) {
        if (!this.#isStopped) this.#log.warn(STOPPED, { store: this.#name });
        this.#isStopped = true;
        return false;
      }
      if (!(error instanceof LogUnreachable) || this.#role === 'new') throw error;
      this.#stopping.signal.throwIfAborted();
      this.#unreachableAt = performance.now();
      if (!this.#isUnreachable) this.#log.warn('the log cannot be reached; this standby tries again', { store: this.#name, error });
      this.#isUnreachable = true;
      return false;
    }
  }

  /** Fences the previous owner, and applies everything that it has appended. @returns false when another process was quicker */
  async #begin(
    tail: Tail,
    room: LoadRoom,
    { lease, ...taken }: { readonly lease: Lease; readonly takenAt: number; readonly leaseMs: number | undefined },
  ): Promise<boolean> {
    this.#tenure = new Tenure({
      log: this.#lines,
      lease,
      ...taken,
      through: () => (this.#lease === lease ? this.#lastDurable : undefined),
      onLost: () => void this.#lose(lease),
      onStale: () => this.#reportRefusal(),
    });
    try {
      if (await this.#fence(tail, room, lease)) return true;
    } catch (error) {
      await this.#tenure.end();
      await this.#lines.release(lease).catch(() => undefined);
      throw error;
    }
    await this.#tenure.end();
    return false;
  }

  async #fence(tail: Tail, room: LoadRoom, lease: Lease): Promise<boolean> {
    for (;;) {
      await this.#readOn(tail, room);
      const tx = tail.lastTx + 1;
      const outcome = await this.#lines.begin(lease, tail.position, { first: tx, last: tx, lines: emptyCommit(tx) });
      if (outcome === 'behind') continue;
      if (outcome === 'fenced') return false;
      const wasStandby = this.#role === 'standby';
      this.#lease = lease;
      this.#lastDurable = tx;
      this.#records.begin(tx);
      this.#role = 'owner';
      this.#snapshots.follow(() => (this.#role === 'owner' ? this.#applied : undefined));
      const fields = { store: this.#name, epoch: lease.epoch, through: tx };
      this.#log.info(wasStandby ? 'this process has taken over the data' : 'this process owns the data', fields);
      return true;
    }
  }

  async #load(tail: Tail, room: LoadRoom): Promise<void> {
    await this.#snapshots.restore(tail, room);
    await this.#readOn(tail, room);
    await tail.index();
    await this.#snapshots.tend(() => this.#applied);
  }

  async #readOn(tail: Tail, room: LoadRoom): Promise<void> {
    for await (const batch of this.#lines.read(this.#shard, tail.position)) {
      for (const lines of batch) {
        this.#stopping.signal.throwIfAborted();
        tail.apply(lines);
        this.losses.add(lines, false);
        this.#snapshots.applied(lines.lines.length, lines.last);
        await room.checkAfter(lines.lines.length);
        await new Promise(setImmediate);
      }
    }
    await this.#snapshots.mask(tail);
  }

  #standBy(): void {
    if (this.#role === 'standby') return;
    this.#role = 'standby';
    this.#log.info('another process owns the data; this one is a standby', { store: this.#name });
    for (const listen of this.#standbyListeners) listen();
  }

  async #append(lines: LogLines): Promise<void> {
    const began = performance.now();
    const appended = await this.#lines.append(this.#lease!, lines);
    this.#flushMs = performance.now() - began;
    this.#snapshots.applied(lines.lines.length, lines.last);
    // The buffer is used again.
    if (appended === 'durable') return this.losses.add({ ...lines, lines: Buffer.from(lines.lines), epoch: this.#lease!.epoch }, true);
    await this.#lose(this.#lease!);
    throw new StoreUnavailable(TAKEN_OVER);
  }

  #interrupt(): void {
    if (this.#role === 'owner') return;
    this.#snapshots.end();
    this.#stopping.abort(new StoreUnavailable('the store was stopped while it waited as a standby'));
    this.#wake.wake();
    void this.#lines.stop();
  }

  #waits(reason: string | undefined): void {
    if (reason !== undefined && this.#waitingFor === undefined)
      this.#log.warn('the log cannot be reached; writes wait for it', { store: this.#name, reason });
    if (reason === undefined) this.#log.info('the log can be reached again; writes continue', { store: this.#name });
    this.#waitingFor = reason;
  }

  async #lose(lease: Lease): Promise<void> {
    if (this.#role === 'lost' || lease !== this.#lease) return;
    this.#role = 'lost';
    void this.#tenure?.end();
    this.#reportRefusal();
    // A loss is announced while this process still runs the platform.
    await Promise.race([this.losses.look(), sleep(LOOK_LIMIT_MS, undefined, { ref: false })]);
    // An append in progress finds out by itself, after its outcome is known.
    void this.#commits.between(async () => this.#fail(new StoreUnavailable(TAKEN_OVER)));
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#records.fail(error, this.#lastDurable);
  }

  #refusal(): string | undefined {
    if (this.#role === 'owner') return this.#tenure!.isFresh ? undefined : `${this.#name} cannot be reached`;
    return this.#role === 'lost' ? TAKEN_OVER : STANDBY;
  }

  #reportRefusal(): void {
    const reason = this.#refusal();
    if (reason !== undefined) for (const listen of this.#refusalListeners) listen(reason);
  }

  #assertOwned(): void {
    const reason = this.#refusal();
    if (reason !== undefined) throw new StoreUnavailable(reason);
  }
}

const REWOUND = 'the log has lost transactions that this process has read; it starts again without them';
const TRIMMED = 'a snapshot has replaced lines that this standby has not read; it starts again with the snapshot';
const STANDBY = 'another process owns the data, and this one is a standby';
const STOPPED =
  'transactions have vanished from the log, and no process owns the data until an operator confirms it; see GET /admin/v1/store/losses';
const TAKEN_OVER = 'another process has taken over the data; restart this process';
