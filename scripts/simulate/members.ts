import { Readable } from 'node:stream';
import type { Server } from '@hapi/hapi';
import type { Dispatcher } from 'undici';
import { FolderBlobs } from '../../core/adapters/folder-blobs.js';
import { clusterOn } from '../../plugins/cluster/postgres/cluster-on.js';
import type { ColdOptions } from '../../plugins/cluster/postgres/log-store-of.js';
import type { CallAgent } from '../../plugins/cluster/routing/shard-calls.js';
import type { Database } from './database/server.js';
import { SimulatedServers } from './database/servers.js';
import { Disk } from './disk.js';
import type { Compose, Machine } from './machine.js';
import type { Network } from './network.js';
import type { Process } from './process.js';
import type { Random } from './random.js';
import type { World } from './world.js';

export interface MembersOptions {
  readonly world: World;
  readonly network: Network;
  readonly database: Database;
  readonly shards: number;
  readonly afterLoss: 'continue' | 'stop';
  readonly machines: readonly Machine[];
}

/** Small, so that an hour has several of them. */
const SNAPSHOT_EVERY_BYTES = [40_000, 300_000];

/** Small parts and caches, and memory for conversations for a short time or for long. */
function coldFor(random: Random): ColdOptions {
  const after = random.pick([0, 60_000, 86_400_000]);
  return {
    partBytes: random.pick([2_000, 20_000, 4 << 20]),
    coldCacheBytes: random.pick([0, 20_000, 32 << 20]),
    coldAfterMs: { 'core.conversations': after, 'core.contacts': after },
  };
}

/** Composes a member of a cluster instead of a platform. All members have one disk for media. */
export function memberOf({ world, network, database, shards, afterLoss, machines }: MembersOptions): Compose {
  const files = new Disk(world, world.random.stream('disk files'));
  const random = world.random.stream('snapshots');
  const [snapshotEveryBytes, cold] = [random.pick(SNAPSHOT_EVERY_BYTES), coldFor(random)];
  return ({ name, process, platform }) => {
    const { ports, ...options } = platform;
    const { store: _, blobs: __, ...shared } = ports;
    const { hapiPlugin } = clusterOn(
      new SimulatedServers(database, name, process, afterLoss),
      {
        platform: { ...options, publicUrl: 'http://cluster.platform', ports: shared },
        blobsOf: (shard) => new FolderBlobs({ folder: `/media/${shard}`, fs: files.fileSystem(process) }),
        database: { url: 'postgres://database/posthorn', afterLoss, snapshotEveryBytes },
        url: urlOf(name),
        shards,
      },
      { cold, agent: new MemberCalls({ world, network, machines, name, process }) as unknown as CallAgent },
    );
    return { hapiPlugin, prepare: endResponses };
  };
}

/** The URL of the member on a machine. */
export const urlOf = (machine: string): string => `http://${machine}.member`;

/** Calls are injected, and their responses have no connection that ends: this notifies the listeners of its end. */
function endResponses(server: Server): void {
  server.ext('onRequest', ({ raw: { res } }, h) => {
    res.once('finish', () => void process.nextTick(() => res.emit('close')));
    return h.continue;
  });
}

interface CallsParts extends Pick<MembersOptions, 'world' | 'network' | 'machines'> {
  readonly name: string;
  readonly process: Process;
}

/** The share of calls for which a connection is open: a cut is not noticed then. */
const KEPT = 0.7;
const CONNECT_TIMEOUT_MS = 1_000;
const HEADERS_TIMEOUT_MS = 75_000;

/** The calls of a member to others, over the simulated network. A call that its caller ends continues in the called member. */
class MemberCalls {
  readonly #parts: CallsParts;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  request({ origin, path, method, headers, body, signal }: Dispatcher.RequestOptions): Promise<unknown> {
    const { world, network, machines, name, process } = this.#parts;
    const called = machines.find((machine) => urlOf(machine.name) === String(origin));
    const link = network.between(name, called?.name ?? 'unknown');
    const { random } = process;
    const delay = () => random.between(link.latencyMs.min, link.latencyMs.max);
    return new Promise((resolve, reject) => {
      const fail = (code: string, ms: number) =>
        void world.schedule(process, ms, () => reject(Object.assign(new Error(`the simulated network: ${code}`), { code })));
      const { aborted } = signal as AbortSignal;
      if (aborted) return reject((signal as AbortSignal).reason);
      (signal as AbortSignal).addEventListener('abort', () => reject((signal as AbortSignal).reason), { once: true });
      fail('UND_ERR_HEADERS_TIMEOUT', HEADERS_TIMEOUT_MS);
      if (link.isCut) return void (random.chance(KEPT) || fail('UND_ERR_CONNECT_TIMEOUT', CONNECT_TIMEOUT_MS));
      if (!called?.isUp || random.chance(link.refused)) return fail('ECONNREFUSED', delay());
      if (random.chance(link.lostBefore)) return fail('UND_ERR_SOCKET', delay());
      const isLost = random.chance(link.lostAfter);
      const send = async () => {
        const payload = body instanceof Readable ? Buffer.concat(await body.toArray()) : (body as Buffer | undefined);
        await world.sleep(delay());
        if (link.isCut) return;
        const response = await called.inject({ method, url: path, headers: headers as never, ...(payload && { payload }) }, process);
        if (link.isCut) return;
        // The process ended; whether its machine still tells so depends on how.
        if (!response || isLost) return void (random.chance(KEPT) && fail('UND_ERR_SOCKET', delay()));
        await world.sleep(delay());
        const { statusCode, rawPayload } = response;
        const content = Readable.from(rawPayload.length > 0 ? [rawPayload] : []);
        resolve({ statusCode, headers: response.headers, body: Object.assign(content, { dump: async () => void content.resume() }) });
      };
      send().catch(reject);
    });
  }

  async destroy(): Promise<void> {}
}
