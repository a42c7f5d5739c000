import { EventEmitter } from 'node:events';
import type { Network } from '../network.js';
import { MachineClock, type Process } from '../process.js';
import type { Random } from '../random.js';
import type { World } from '../world.js';
import { handlerOf } from './statements.js';
import { Tables } from './tables.js';

/** The name of the database in the network. */
export const DATABASE = 'database';

export interface DatabaseOptions {
  /** Whether a commit is acknowledged, and seen by others, only when the replica has it. */
  readonly isSynchronous: boolean;
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
/** The share of connections that a server ends so that its clients notice. The others only get no responses any more. */
const NOTICED = 0.7;

/**
 * A database server with a replica. It executes one statement after the other, each as a transaction of its own. Statements do not wait for locks:
 * the second of two that would wait for each other comes later, or finds what the first one has changed.
 */
export class Database {
  readonly clock = new MachineClock();
  readonly tables: Tables;
  readonly isSynchronous: boolean;
  /** Commits wait until then, because the replica cannot be reached. Only with a synchronous replica. */
  waitsUntil = 0;
  readonly #world: World;
  readonly #network: Network;
  readonly #random: Random;
  readonly #sessions = new Set<Session>();
  #process: Process | undefined;
  #runs = 0;
  #keptAt = 0;

  constructor(world: World, network: Network, { isSynchronous }: DatabaseOptions) {
    this.#world = world;
    this.#network = network;
    this.isSynchronous = isSynchronous;
    this.#random = world.random.stream('database');
    this.tables = new Tables(() => world.now);
    this.start();
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  start(): void {
    this.#process ??= this.#world.process(`${DATABASE}.${++this.#runs}`, this.clock);
  }

  /**
   * Ends the server. Another one, or the same again, accepts connections after `start`.
   * @param lagMs what is not older is lost, as when a replica takes over that lacks it; only without a synchronous replica
   * @returns the number of changes that are lost
   */
  stop(lagMs = 0): number {
    const process = this.#process;
    if (!process) return 0;
    this.#world.end(process);
    this.#process = undefined;
    for (const session of this.#sessions) session.serverEnded(this.#random.chance(NOTICED));
    this.#sessions.clear();
    return this.isSynchronous || lagMs === 0 ? 0 : this.tables.rewind(this.#world.now - Math.min(lagMs, LONGEST_LAG_MS));
  }

  /** Opens a session of a process. @throws Error as the driver does */
  connect(machine: string, process: Process, limitMs: number): Promise<Session> {
    const world = this.#world;
    const link = this.#network.link(machine, DATABASE);
    const delay = () => this.#random.between(link.latencyMs.min, link.latencyMs.max);
    return new Promise((resolve, reject) => {
      const limit = world.schedule(process, limitMs / process.clock.rate, () => reject(new Error('timeout expired')));
      const fail = (code: string) =>
        world.schedule(process, delay(), () => reject(Object.assign(new Error(`connect ${code}`), { code })));
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

  /** Milliseconds until a change is on the replica, and seen by others. */
  commitMs(): number {
    const replicated = this.isSynchronous ? this.#random.between(REPLICA_MS.min, REPLICA_MS.max) : 0;
    return Math.max(replicated, this.isSynchronous ? this.waitsUntil - this.#world.now : 0);
  }

  /** Executes a statement now. @throws Error with the code of PostgreSQL when it is refused */
  execute({ text: sql, values = [] }: Query): object[] {
    const { handler, text } = handlerOf(sql);
    const channels = new Set<string>();
    const now = this.#world.wallClock();
    const notify = (channel: string) => channels.add(channel);
    const rows = handler.run({ tables: this.tables, now, isSynchronous: this.isSynchronous, text, values, notify });
    for (const session of this.#sessions) {
      if (!session.process.isAlive) this.#sessions.delete(session);
      else if (session.listensTo(channels)) session.notified();
    }
    if (handler.changes && this.#world.now - this.#keptAt > KEEP_EVERY_MS) {
      this.#keptAt = this.#world.now;
      this.tables.keep(this.#world.now - LONGEST_LAG_MS);
    }
    return rows;
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
  readonly resolve: (result: { readonly rows: object[] }) => void;
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
          ? world.schedule(process, query_timeout / process.clock.rate, () => this.#settle(pending, (it) => it.reject(new Error('Query read timeout'))))
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
      const listens = /^listen "(.+)"$/.exec(text.trim())?.[1];
      const commitMs = listens === undefined && handlerOf(text).handler.changes ? server.commitMs() : 0;
      world.schedule(at, delay(), () => {
        if (link.isCut) return;
        world.schedule(at, commitMs, () => {
          const outcome = listens === undefined ? this.#execute(sent) : this.#listen(listens);
          if (link.isCut) return;
          if (isLost) return void world.schedule(process, delay(), () => this.#broken('ECONNRESET'));
          world.schedule(process, delay(), () => this.#settle(pending, outcome));
        });
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

  #execute(sent: Query): (pending: Pending) => void {
    const { server, world } = this.#parts;
    try {
      const rows = server.execute(sent);
      return ({ resolve }) => resolve({ rows });
    } catch (error) {
      if ((error as { code?: unknown }).code === undefined) world.fail(error);
      return ({ reject }) => reject(error);
    }
  }

  #listen(channel: string): (pending: Pending) => void {
    this.#channels.add(channel);
    return ({ resolve }) => resolve({ rows: [] });
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
