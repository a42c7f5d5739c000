import { EventEmitter } from 'node:events';
import type { Entry } from '../agenda.js';
import type { Network } from '../network.js';
import { MachineClock, type Process } from '../process.js';
import type { Random } from '../random.js';
import { EPOCH_MS, type World } from '../world.js';
import { handlerOf } from './statements.js';
import { Tables } from './tables.js';

/** The name of the database in the network. */
export const DATABASE = 'database';

export interface DatabaseOptions {
  /** Whether a commit is acknowledged, and seen by others, only when the replica has it. */
  readonly isSynchronous: boolean;
  /** The share of connections that a server ends so that their clients notice; the others only get no responses any more. 0.7 if not given. */
  readonly noticed?: number;
}

/** A statement as the driver gets it. */
export interface Query {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  readonly query_timeout?: number;
}

/** How long the replica takes for a change. */
const REPLICA_MS = { min: 0.3, max: 3 };
/** A replica lags at most this much, so that older changes are safe. */
export const LONGEST_LAG_MS = 10_000;
const KEEP_EVERY_MS = 1_000;

/** The rows of a statement, or the error with the code of PostgreSQL. */
type Result = { readonly rows: object[] } | { readonly error: unknown };

interface Reply {
  readonly done: (result: Result) => void;
  /** Ends the session. */
  readonly broken: () => void;
}

/** A commit that waits for the replica. */
interface Waiting extends Reply {
  readonly sent: Query;
  entry: Entry | undefined;
}

/**
 * A database server with a replica. It executes one statement after the other, each as a transaction of its own. Statements do not wait for locks:
 * the second of two that would wait for each other comes later, or finds what the first one has changed.
 */
export class Database {
  readonly clock = new MachineClock();
  readonly tables: Tables;
  readonly isSynchronous: boolean;
  readonly #world: World;
  readonly #network: Network;
  readonly #random: Random;
  readonly #sessions = new Set<Session>();
  /** Only with a synchronous replica. */
  readonly #waiting = new Set<Waiting>();
  readonly #noticed: number;
  #process: Process | undefined;
  #runs = 0;
  #keptAt = 0;
  /** Since when the replica gets nothing. */
  #heldAt: number | undefined;

  constructor(world: World, network: Network, { isSynchronous, noticed = 0.7 }: DatabaseOptions) {
    this.#noticed = noticed;
    this.#world = world;
    this.#network = network;
    this.isSynchronous = isSynchronous;
    this.#random = world.random.stream('database');
    this.tables = new Tables(() => world.now);
    this.start();
  }

  start(): void {
    this.#process ??= this.#world.process(`${DATABASE}.${++this.#runs}`, this.clock);
  }

  /** Ends the server; it has everything when it starts again, also changes that its replica lacks. */
  stop(): void {
    for (const { sent } of this.#waiting) this.#execute(sent);
    this.#end();
  }

  /**
   * Ends the server. After `start`, its replica has taken over.
   * @param lagMs how old at most the changes are that the replica lacks, if it was not cut off and commits do not wait for it
   * @returns the true time of the first change that is lost
   */
  failOver(lagMs: number): number | undefined {
    if (!this.#process) return undefined;
    const { now } = this.#world;
    const heldMs = this.#heldAt === undefined ? 0 : now - this.#heldAt;
    this.#end();
    this.#heldAt = undefined;
    return this.tables.rewind(this.isSynchronous ? Number.NEGATIVE_INFINITY : now - Math.max(lagMs, heldMs));
  }

  /** The replica gets nothing more. */
  holdReplica(): void {
    this.#heldAt ??= this.#world.now;
    for (const { entry } of this.#waiting) if (entry) entry.isCancelled = true;
  }

  /** The replica gets everything again. */
  releaseReplica(): void {
    this.#heldAt = undefined;
    for (const waiting of this.#waiting) this.#replicate(waiting);
  }

  /** Ends the sessions whose commits wait for the replica, as an operator may do. The changes remain, and others see them. */
  endWaitingSessions(): void {
    for (const { sent, broken, entry } of this.#waiting) {
      if (entry) entry.isCancelled = true;
      this.#execute(sent);
      broken();
    }
    this.#waiting.clear();
  }

  /** Whether a commit waits for the replica. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Opens a session of a process. @throws Error as the driver does */
  connect(machine: string, process: Process, limitMs: number): Promise<Session> {
    const world = this.#world;
    const link = this.#network.link(machine, DATABASE);
    const delay = () => this.#random.between(link.latencyMs.min, link.latencyMs.max);
    return new Promise((resolve, reject) => {
      const limit = world.schedule(process, limitMs / process.clock.rate, () => reject(new Error('timeout expired')));
      const fail = (code: string) => world.schedule(process, delay(), () => reject(Object.assign(new Error(`connect ${code}`), { code })));
      if (link.isCut) return;
      if (!this.#process || this.#random.chance(link.refused)) return void fail('ECONNREFUSED');
      world.schedule(this.#process, delay(), () => {
        if (link.isCut) return;
        const session = new Session({ world, process, link, delay, random: this.#random, server: this });
        this.#sessions.add(session);
        world.schedule(process, delay(), () => {
          limit.isCancelled = true;
          resolve(session);
        });
      });
    });
  }

  /** The process that executes statements; undefined while there is none, or for sessions that it does not know. */
  serverOf(session: Session): Process | undefined {
    return this.#sessions.has(session) ? this.#process : undefined;
  }

  forget(session: Session): void {
    this.#sessions.delete(session);
  }

  /** Executes a statement, now or when the replica has its change: others see nothing of it before. */
  run(sent: Query, reply: Reply): void {
    if (!this.isSynchronous || !handlerOf(sent.text).handler.changes) {
      reply.done(this.#execute(sent));
      return;
    }
    const waiting: Waiting = { ...reply, sent, entry: undefined };
    this.#waiting.add(waiting);
    this.#replicate(waiting);
  }

  #replicate(waiting: Waiting): void {
    if (this.#heldAt !== undefined || !this.#process) return;
    waiting.entry = this.#world.schedule(this.#process, this.#random.between(REPLICA_MS.min, REPLICA_MS.max), () => {
      this.#waiting.delete(waiting);
      const result = this.#execute(waiting.sent);
      // The replica gets changes in their order, so it has everything before as well.
      this.tables.keep(this.#world.now);
      waiting.done(result);
    });
  }

  #execute({ text: sql, values = [] }: Query): Result {
    const { handler, text } = handlerOf(sql);
    const channels = new Set<string>();
    const now = this.#wallClock();
    const notify = (channel: string) => void channels.add(channel);
    try {
      const rows = handler.run({ tables: this.tables, now, isSynchronous: this.isSynchronous, text, values, notify });
      this.#notify(channels);
      this.#keepOld();
      return { rows };
    } catch (error) {
      if ((error as { code?: unknown }).code === undefined) this.#world.fail(error);
      return { error };
    }
  }

  /** Of the server, whichever process runs. */
  #wallClock(): number {
    return Math.floor(EPOCH_MS + this.clock.offsetMs + this.clock.counted(this.#world.now));
  }

  #notify(channels: ReadonlySet<string>): void {
    if (channels.size === 0) return;
    for (const session of this.#sessions) {
      if (!session.process.isAlive) this.#sessions.delete(session);
      else if (session.listensTo(channels)) session.notified();
    }
  }

  #keepOld(): void {
    const { now } = this.#world;
    if (this.isSynchronous || now - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = now;
    if (this.#heldAt === undefined) this.tables.keep(now - LONGEST_LAG_MS);
  }

  #end(): void {
    if (!this.#process) return;
    this.#world.end(this.#process);
    this.#process = undefined;
    this.#waiting.clear();
    for (const session of this.#sessions) session.serverEnded(this.#random.chance(this.#noticed));
    this.#sessions.clear();
  }
}

interface SessionParts {
  readonly world: World;
  readonly process: Process;
  readonly link: ReturnType<Network['link']>;
  readonly delay: () => number;
  readonly random: Random;
  readonly server: Database;
}

interface Pending {
  readonly resolve: (result: Extract<Result, { rows: object[] }>) => void;
  readonly reject: (error: unknown) => void;
}

/** A connection to the database, as a client of the driver. Its client sends one statement after the other. */
export class Session extends EventEmitter {
  /** The socket of the driver. */
  readonly connection = { stream: { destroy: () => this.#close() } };
  readonly #parts: SessionParts;
  readonly #channels = new Set<string>();
  #pending: Pending | undefined;
  #isClosed = false;

  constructor(parts: SessionParts) {
    super();
    this.#parts = parts;
  }

  get process(): Process {
    return this.#parts.process;
  }

  query({ text, values = [], query_timeout = 0 }: Query): Promise<{ readonly rows: object[] }> {
    const { world, process, link, delay, random, server } = this.#parts;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('Connection terminated'));
      const limit =
        query_timeout > 0
          ? world.schedule(process, query_timeout / process.clock.rate, () =>
              this.#settle(pending, (it) => it.reject(new Error('Query read timeout'))),
            )
          : undefined;
      const pending: Pending = {
        resolve: (result) => {
          if (limit) limit.isCancelled = true;
          resolve(result);
        },
        reject,
      };
      this.#pending = pending;
      // The sender may use its buffers again.
      const sent = { text, values: values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)) };
      if (link.isCut) return;
      if (random.chance(link.lostBefore)) return void world.schedule(process, delay(), () => this.#broken('ECONNRESET'));
      const isLost = random.chance(link.lostAfter);
      const at = server.serverOf(this);
      if (!at) return void world.schedule(process, delay(), () => this.#broken('ECONNRESET'));
      const done = (result: Result) => {
        if (link.isCut) return;
        if (isLost) return void world.schedule(process, delay(), () => this.#broken('ECONNRESET'));
        world.schedule(process, delay(), () =>
          this.#settle(pending, ({ resolve, reject }) => ('rows' in result ? resolve(result) : reject(result.error))),
        );
      };
      const broken = () => void world.schedule(process, delay(), () => this.#broken('57P01'));
      const [, channel] = /^listen "(.+)"$/.exec(text.trim()) ?? [];
      world.schedule(at, delay(), () => {
        if (link.isCut) return;
        if (channel === undefined) return server.run(sent, { done, broken });
        this.#channels.add(channel);
        done({ rows: [] });
      });
    });
  }

  listensTo(channels: ReadonlySet<string>): boolean {
    for (const channel of channels) if (this.#channels.has(channel)) return true;
    return false;
  }

  notified(): void {
    const { world, process, link, delay } = this.#parts;
    if (!link.isCut) world.schedule(process, delay(), () => this.#isClosed || this.emit('notification'));
  }

  serverEnded(isNoticed: boolean): void {
    const { world, process, link, delay } = this.#parts;
    if (isNoticed && !link.isCut) world.schedule(process, delay(), () => this.#broken('57P01'));
  }

  #settle(pending: Pending, outcome: (pending: Pending) => void): void {
    if (this.#pending !== pending) return;
    this.#pending = undefined;
    outcome(pending);
  }

  #broken(code: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.server.forget(this);
    const error = Object.assign(new Error(`the simulated network: ${code}`), { code });
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
    if (this.listenerCount('error') > 0) this.emit('error', error);
  }

  #close(): void {
    this.#isClosed = true;
    this.#parts.server.forget(this);
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(new Error('Connection terminated'));
  }
}
