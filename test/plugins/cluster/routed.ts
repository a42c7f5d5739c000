import { createServer } from 'node:http';
import Hapi, { type Server, type ServerOptions } from '@hapi/hapi';
import { createPlatform, type OperatorOptions, type Platform, type Plugin } from '#core';
import { hashOf } from '../../../core/messaging/token.js';
import { areasOf } from '../../../core/platform/platform.js';
import type { Tap } from '../../../core/testing/tap.js';
import { channels } from '../../../plugins/channels/plugin.js';
import type { Directory, EntryKind, Member } from '../../../plugins/cluster/directory.js';
import { HopSigner, passedOperator } from '../../../plugins/cluster/routing/hop.js';
import { addSessionRoute, mountRouter } from '../../../plugins/cluster/routing/router.js';
import { ShardCalls } from '../../../plugins/cluster/routing/shard-calls.js';
import { outerServer } from '../../../plugins/cluster/shard-host.js';
import { console as consolePlugin } from '../../../plugins/console/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const ADMIN_KEY = 'admin-key-of-the-routing-tests';
const SECRET_KEY = '5'.repeat(64);

/** A shard: a platform in memory, on a server that does not listen. */
export interface TestShard {
  readonly name: string;
  readonly platform: Platform;
  readonly server: Server;
}

/** A process with a server that listens, and the shards that it owns. */
export interface TestProcess {
  readonly url: string;
  readonly owned: Set<string>;
  readonly server: Server;
  /** Exceptions that hapi has logged. */
  readonly failures: unknown[];
}

/** Which process owns which shard, and which shard has which tenant. */
export class TestDirectory implements Directory {
  readonly shards: readonly string[];
  readonly entries = new Map<string, string>();
  /** Entries that only `catchUp` makes known. */
  readonly late = new Map<string, string>();
  readonly owners = new Map<string, Member>();
  #wake: (() => void)[] = [];

  constructor(shards: readonly string[]) {
    this.shards = shards;
  }

  shardOf(kind: EntryKind, key: string): string | undefined {
    return this.entries.get(`${kind} ${key}`);
  }

  async catchUp(): Promise<void> {
    for (const [key, shard] of this.late) this.entries.set(key, shard);
  }

  async shardFor(account: string | undefined): Promise<string> {
    return (account && this.shardOf('account', account)) || this.shards.at(-1)!;
  }

  ownerOf(shard: string): Member | undefined {
    return this.owners.get(shard);
  }

  setOwner(shard: string, owner: Member | undefined): void {
    if (owner) this.owners.set(shard, owner);
    else this.owners.delete(shard);
    for (const wake of this.#wake.splice(0)) wake();
  }

  ownerChanged(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

export interface Routed {
  readonly directory: TestDirectory;
  readonly shards: ReadonlyMap<string, TestShard>;
  readonly processes: readonly TestProcess[];
  /** Makes another process the owner of a shard, or none. */
  own(shard: string, process: number | undefined): void;
  /** A call of a client to one of the processes, with the admin key unless `headers` has a credential. */
  call(
    process: number,
    method: string,
    path: string,
    payload?: unknown,
    headers?: Record<string, string>,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
  ): Promise<{ status: number; headers: Headers; text: string; body: any }>;
}

/** Shards `shard-1`, `shard-2`, … of which the process at the same place, counted round, is the owner. */
export async function routed(
  t: Tap,
  {
    shards: count = 2,
    processes: size = 2,
    prefix,
    waitMs = 5_000,
    extra = [],
    settings = {},
    operators,
    adminKey = ADMIN_KEY,
    earlier = [],
    host = () => undefined,
  }: {
    shards?: number;
    processes?: number;
    prefix?: string;
    waitMs?: number;
    extra?: readonly Plugin[];
    /** The settings of the server of the host. */
    settings?: ServerOptions;
    operators?: OperatorOptions;
    adminKey?: string | (() => string);
    /** Shards of processes of 0.1.0, which know no operators. */
    earlier?: readonly string[];
    /** Adds to the server of the host, before the platform is registered. */
    host?: (server: Server) => void;
  } = {},
): Promise<Routed> {
  const directory = new TestDirectory(Array.from({ length: count }, (_, i) => `shard-${i + 1}`));
  const shards = new Map<string, TestShard>();
  const signer = new HopSigner(SECRET_KEY);
  for (const name of directory.shards) {
    const platform = createPlatform(
      {
        plugins: [channels(), webhooks(), messages(), network(), flows(), consolePlugin(), ...extra],
        admin: { key: adminKey },
        secretKey: SECRET_KEY,
        publicUrl: 'http://public.test',
        privateTargets: 'allow',
        recording: { calls: true },
        ...(operators && !earlier.includes(name) && { operators }),
      },
      earlier.includes(name) ? {} : { passedOperator: passedOperator(signer), clientOf: ({ headers }) => signer.clientOf(headers) },
    );
    const server = Hapi.server({ ...outerServer(Hapi.server(settings)).settings, autoListen: false, listener: createServer() });
    await server.register(platform.hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
    addSessionRoute(server, platform.name, prefix ?? '');
    await server.initialize();
    t.teardown(() => server.stop());
    shards.set(name, { name, platform, server });
  }
  const areas = areasOf(shards.get('shard-1')!.platform);
  const processes: TestProcess[] = [];
  for (let i = 0; i < size; i++) {
    const server = Hapi.server({ ...settings, port: 0, host: '127.0.0.1' });
    const failures: unknown[] = [];
    server.events.on({ name: 'request', channels: 'internal' }, (_, { error, tags }) => {
      if (tags.includes('implementation')) failures.push(error);
    });
    host(server);
    const owned = new Set<string>();
    const calls = new ShardCalls({ directory, signer, waitMs: () => waitMs });
    const local = {
      owned: (shard: string) => (owned.has(shard) ? shards.get(shard)!.server : undefined),
      all: () => new Map([...owned].map((shard) => [shard, shards.get(shard)!.server])),
    };
    await server.register(
      {
        name: 'routed',
        register: (outer: Server) =>
          mountRouter(outer, { areas, adminKey, hasAdmin: true, directory, local, calls, signer, whyNotReady: () => undefined }),
      },
      prefix === undefined ? {} : { routes: { prefix } },
    );
    await server.start();
    t.teardown(async () => {
      await calls.close();
      await server.stop({ timeout: 100 });
    });
    processes.push({ url: server.info.uri, owned, server, failures });
  }
  const own = (shard: string, process: number | undefined): void => {
    for (const { owned } of processes) owned.delete(shard);
    const owner = process === undefined ? undefined : processes[process]!;
    owner?.owned.add(shard);
    directory.setOwner(shard, owner && { id: `process-${process}`, url: owner.url, version: '0' });
  };
  for (const [i, shard] of directory.shards.entries()) own(shard, i % size);
  return {
    ...{ directory, shards, processes, own },
    async call(process, method, path, payload, headers = {}) {
      const response = await fetch(`${processes[process]!.url}${path}`, {
        method,
        headers: {
          ...(headers.authorization === undefined && headers.cookie === undefined && { authorization: `Bearer ${ADMIN_KEY}` }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
  };
}

/** A number in a shard, with its token, known to the directory. */
export async function numberIn({ shards, directory }: Routed, shard: string, address: string, about: object = {}) {
  const { platform } = shards.get(shard)!;
  const { number, token } = await platform.createNumber({ kind: 'channel', type: 'channel_http_api', address, name: address, ...about });
  directory.entries.set(`number ${number.uuid}`, shard);
  directory.entries.set(`token ${hashOf(token)}`, shard);
  return { uuid: number.uuid, token };
}
