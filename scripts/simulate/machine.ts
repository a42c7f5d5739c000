import Hapi, { type Plugin as HapiPlugin, type Server, type ServerInjectOptions, type ServerInjectResponse } from '@hapi/hapi';
import { encryptedFiles } from '../../core/adapters/encryption/encrypted-files.js';
import type { Encryption } from '../../core/adapters/encryption/file-cipher.js';
import { FolderBlobs } from '../../core/adapters/folder-blobs.js';
import { compact } from '../../core/adapters/store/compaction.task.js';
import { JsonStore, type JsonStoreOptions } from '../../core/adapters/store/index.js';
import { InlinePool } from '../../core/adapters/workers/inline-pool.js';
import type { PlatformOptions } from '../../core/platform/options.js';
import { createPlatform, type Platform } from '../../core/platform/platform.js';
import type { PlatformState } from '../../core/platform/platform-state.js';
import type { Ports } from '../../core/ports/index.js';
import { DocumentDamaged } from '../../core/ports/store.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { type Crash, Disk } from './disk.js';
import type { Network } from './network.js';
import { MachineClock, type Process } from './process.js';
import type { World } from './world.js';

export const ADMIN_KEY = 'admin-key-of-the-simulation';
const SECRET_KEY = '5a'.repeat(32);
const DATA_KEYS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const FOLDER = '/data';
/** Small, so that an hour has several merges, and parts of most collections. */
const COMPACT_AFTER_BYTES = [60_000, 200_000, 600_000];
const PART_BYTES = [4_000, 12_000, 40_000];
/** A cache that keeps almost nothing makes almost every read of a document on disk wait for the disk. */
const COLD_CACHE_BYTES = [1, 20_000, 32 << 20];
/** How long conversations and contacts stay in memory after a merge has moved them to a part. */
const COLD_AFTER_MS = [0, 60_000, 600_000];
/** Longer than by default, because each costs as much as three transactions. */
const MARK_EVERY_MS = 4_000;
const HEAP_BYTES = 4 * 1024 ** 3;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** No fault of the network makes it arrive twice, because a second time would do something else. */
  readonly isOnce?: boolean;
  /** How long it takes to arrive, for calls that arrive at the same time; random if not given. */
  readonly latencyMs?: number;
}

export interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the workload reads any field
  readonly body: any;
}

/** The program that a process serves. */
export interface Composed {
  readonly hapiPlugin: HapiPlugin<object>;
  /** Called with the server before it starts. */
  readonly prepare?: (server: Server) => void;
  /** Undefined for a member of a cluster, which has one for each of its shards. */
  readonly platform?: Platform;
}

/** Composes what a process serves from the options of a platform. */
export type Compose = (parts: {
  readonly name: string;
  readonly process: Process;
  readonly platform: PlatformOptions & { readonly secretKey: string; readonly ports: Partial<Ports> };
  /** It starts with this state instead of the content of the disk. */
  readonly state: PlatformState | undefined;
}) => Composed;

const onePlatform: Compose = ({ platform: options, state }) => {
  const platform = createPlatform(options, { state });
  return { platform, hapiPlugin: platform.hapiPlugin };
};

/** A trace has no stacks, because they contain the paths of this checkout. */
const withoutStack = (name: string, value: unknown) => (name === 'stack' ? undefined : value);

/** Lines that a platform has logged. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: unknown;
}

/** A machine with a disk and a clock, on which a platform runs until it ends or crashes. */
export class Machine {
  readonly name: string;
  readonly disk: Disk;
  readonly clock = new MachineClock();
  /** True times at which a process has ended. */
  readonly endedAt: number[] = [];
  /** The platform starts with this state instead of the content of the disk. */
  state: PlatformState | undefined;
  /** Called for each line with level `error`. */
  onError: (line: LoggedLine) => void = () => undefined;
  /** Called for each line with level `warn`. */
  onWarning: (line: LoggedLine) => void = () => undefined;
  /** Called when a start fails. */
  onStartFailed: (error: unknown) => void = () => undefined;
  /** Called when the platform serves. */
  onUp: () => void = () => undefined;
  readonly #world: World;
  readonly #network: Network;
  readonly #options: Omit<PlatformOptions, 'ports'>;
  readonly #compose: Compose;
  /** The options of each start, where the seed decided that the data folder is encrypted. */
  readonly #nextEncryption: () => Encryption | undefined;
  readonly #sizes: Pick<JsonStoreOptions, 'compactAfterBytes' | 'partBytes' | 'coldCacheBytes' | 'coldAfterMs'>;
  #runs = 0;
  #process: Process | undefined;
  /** The process that an orderly stop ends. */
  #stopping: Process | undefined;
  #server: Server | undefined;
  #platform: Platform | undefined;
  /** Responses that callers wait for, to end with the process. */
  readonly #waiting = new Set<() => void>();

  constructor(world: World, network: Network, name: string, options: Omit<PlatformOptions, 'ports'>, compose = onePlatform) {
    this.#compose = compose;
    this.name = name;
    this.#world = world;
    this.#network = network;
    this.#options = options;
    this.disk = new Disk(world, world.random.stream(`disk ${name}`));
    const random = world.random.stream(`store ${name}`);
    const after = random.pick(COLD_AFTER_MS);
    this.#sizes = {
      compactAfterBytes: random.pick(COMPACT_AFTER_BYTES),
      partBytes: random.pick(PART_BYTES),
      coldCacheBytes: random.pick(COLD_CACHE_BYTES),
      coldAfterMs: { 'core.conversations': after, 'core.contacts': after },
    };
    const isEncrypted = random.chance(0.5);
    // Each start converts the folder, which crashes and faults interrupt.
    this.#nextEncryption = () =>
      isEncrypted ? { keys: random.chance(0.5) ? DATA_KEYS : DATA_KEYS.toReversed(), isOn: random.chance(0.8) } : undefined;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  get process(): Process | undefined {
    return this.#process;
  }

  /** Starts the platform; `isUp` becomes true once it serves. */
  start(): void {
    const process = this.#world.process(`${this.name}.${++this.#runs}`, this.clock);
    this.#process = process;
    this.#world.schedule(process, 0, () => {
      this.#run(process).catch((error) => {
        if (!process.isAlive) return;
        this.#world.trace('start failed', String(error));
        this.#world.end(process);
        this.#process = undefined;
        // The process has ended, so its lock is gone; the disk is as it was.
        const { failing } = this.disk.state;
        this.disk.crash('process');
        this.disk.state.failing = failing;
        this.onStartFailed(error);
      });
    });
  }

  /** Ends the process as a power failure or SIGKILL does. */
  crash(how: Crash): void {
    if (!this.#process) return;
    this.#world.trace('crash', `${this.name} ${how}`);
    this.#end();
    this.disk.crash(how);
  }

  /** An orderly stop has begun and not ended. */
  get isStopping(): boolean {
    return this.#stopping !== undefined && this.#stopping === this.#process;
  }

  /** Stops the platform in an orderly way. */
  async stop(): Promise<void> {
    const [server, process] = [this.#server, this.#process];
    if (!server || !process) return;
    this.#stopping = process;
    await this.#within(process, () => server.stop());
    if (this.#process !== process) return;
    this.#end();
    this.disk.crash('process');
  }

  /** Makes a call that arrives at this machine now. Resolves outside with undefined when the process ends before it responds, or is not up. */
  serve({ method, path, token, body, headers = {} }: Call): Promise<Response | undefined> {
    const [server, process] = [this.#server, this.#process];
    if (!server || !process) return Promise.resolve(undefined);
    return this.#within(process, async () => {
      const {
        statusCode,
        payload,
        headers: sent,
      } = await server.inject({
        method,
        url: path,
        headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
        ...(body !== undefined && { payload: body as object }),
      });
      const isJson = String(sent['content-type']).startsWith('application/json');
      return { status: statusCode, body: isJson && payload !== '' ? JSON.parse(payload) : payload };
    });
  }

  /** The same for a call of another process, in which it resolves. */
  inject(call: ServerInjectOptions, caller: Process): Promise<ServerInjectResponse | undefined> {
    const [server, process] = [this.#server, this.#process];
    return server && process ? this.#within(process, () => server.inject(call), caller) : Promise.resolve(undefined);
  }

  /** Does something with the platform itself. Resolves outside with undefined when the process ends before. */
  perform<T>(work: (platform: Platform) => Promise<T>): Promise<T | undefined> {
    const [platform, process] = [this.#platform, this.#process];
    return platform && process ? this.#within(process, () => work(platform)) : Promise.resolve(undefined);
  }

  /** Runs code in the process, and resolves in another; with undefined when the process ends before. */
  #within<T>(process: Process, work: () => Promise<T>, caller = this.#world.outside): Promise<T | undefined> {
    const world = this.#world;
    return new Promise((resolve, reject) => {
      const back = (result: T | undefined) => {
        if (!this.#waiting.delete(ended)) return;
        world.schedule(caller, 0, () => resolve(result));
      };
      const failed = (error: unknown) => {
        // Whether a damaged document is expected is for the caller to say.
        if (error instanceof DocumentDamaged && this.#waiting.delete(ended)) world.schedule(caller, 0, () => reject(error));
        else world.fail(error);
      };
      const ended = () => back(undefined);
      this.#waiting.add(ended);
      world.schedule(process, 0, () => work().then(back, failed));
    });
  }

  #end(): void {
    if (this.#process) {
      this.#world.end(this.#process);
      this.endedAt.push(this.#world.now);
    }
    this.#process = undefined;
    this.#server = undefined;
    this.#platform = undefined;
    for (const ended of [...this.#waiting]) ended();
  }

  async #run(process: Process): Promise<void> {
    const fs = this.disk.fileSystem(process);
    const encryption = this.#nextEncryption();
    const onLine = (line: LoggedLine) => {
      if (line.level === 'debug' || line.level === 'info') return;
      this.#world.trace(line.level, `${line.message} ${JSON.stringify(line.fields, withoutStack)}`);
      if (line.level === 'error') this.onError(line);
      else this.onWarning(line);
    };
    const log = new RecordingLogger([], {}, onLine as never);
    const store = new JsonStore({
      folder: FOLDER,
      log,
      fs,
      encryption,
      compact: (input) => compact(input, fs),
      ...this.#sizes,
      markEveryMs: MARK_EVERY_MS,
    });
    const platform = {
      ...this.#options,
      admin: { key: ADMIN_KEY },
      secretKey: SECRET_KEY,
      rateLimits: false,
      privateTargets: 'allow',
      publicUrl: `http://${this.name}.platform`,
      ports: {
        store,
        log,
        http: this.#network.client(this.name, process),
        workers: new InlinePool(),
        blobs: new FolderBlobs({ folder: `${FOLDER}/media`, fs: encryption ? encryptedFiles(fs, encryption) : fs }),
        heap: { limitBytes: HEAP_BYTES, read: () => ({ usedBytes: 1, liveBytes: 1, collectedMsAgo: 0, processShare: 0 }) },
      },
    } as const;
    const { hapiPlugin, prepare, platform: one } = this.#compose({ name: this.name, process, platform, state: this.state });
    const server = Hapi.server();
    prepare?.(server);
    await server.register(hapiPlugin);
    await server.initialize();
    this.#server = server;
    this.#platform = one;
    this.#world.trace('up');
    this.onUp();
  }
}
