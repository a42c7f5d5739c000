import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Hapi, { type Server } from '@hapi/hapi';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { type Cluster, type ClusterOptions, createCluster } from '../../../plugins/cluster/postgres/index.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { until } from '../../../scripts/crash/until.js';
import { freePort } from '../../../scripts/free-port.js';
import type { TestDatabase } from './postgres/with-database.js';

export const ADMIN_KEY = 'admin-key-of-the-cluster-tests';

/** One process of a cluster, in this process. */
export interface Clustered {
  readonly server: Server;
  readonly cluster: Cluster;
  readonly url: string;
  /** A call with the admin key, unless a token is given. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
  call(method: string, path: string, payload?: unknown, token?: string): Promise<{ status: number; body: any; text: string }>;
  /** The shards that it owns and serves. */
  owned(): string[];
  stop(): Promise<void>;
}

export function folderFor(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cluster-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function clustered(
  t: Tap,
  { url, schema }: Pick<TestDatabase, 'url' | 'schema'>,
  {
    folder,
    shards = 2,
    platform = {},
    database = {},
  }: {
    readonly folder: string;
    readonly shards?: number;
    readonly platform?: Partial<ClusterOptions['platform']>;
    readonly database?: Partial<ClusterOptions['database']>;
  },
): Promise<Clustered> {
  const port = await freePort();
  const server = Hapi.server({ port, host: '127.0.0.1' });
  const cluster = createCluster({
    platform: {
      plugins: [channels(), webhooks(), messages()],
      admin: { key: ADMIN_KEY },
      secretKey: '7'.repeat(64),
      publicUrl: 'http://cluster.test',
      dataDir: folder,
      privateTargets: 'allow',
      logLevel: 'error',
      rateLimits: false,
      ...platform,
    },
    database: { url, schema, leaseMs: 1_000 * patient(1), ...database },
    url: `http://127.0.0.1:${port}`,
    shards,
  });
  await server.register(cluster.hapiPlugin);
  await server.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= server.stop({ timeout: 100 }));
  t.teardown(stop);
  return {
    server,
    cluster,
    url: server.info.uri,
    call: callsTo(server.info.uri),
    owned() {
      const { process, processes } = cluster.status();
      return processes.find(({ id }) => id === process)?.shards.flatMap(({ shard, role }) => (role === 'owner' ? [shard] : [])) ?? [];
    },
    stop,
  };
}

/** Makes calls with the admin key, unless a token is given. */
export function callsTo(url: string): Clustered['call'] {
  return async (method, path, payload, token = ADMIN_KEY) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      ...(payload !== undefined && { body: JSON.stringify(payload) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined };
  };
}

/** Resolves when every shard has an owner, and with several processes also a standby. */
export async function settled(members: readonly Clustered[], standbys = members.length > 1): Promise<void> {
  await until(
    async () =>
      members.every(({ cluster }) => {
        const { shards, processes } = cluster.status();
        return (
          processes.length === members.length &&
          shards.length > 0 &&
          shards.every(({ owner, lag }) => owner !== null && (!standbys || lag !== null))
        );
      }),
    'every shard has an owner and a standby',
  );
}

/** A channel of a cluster to which one contact writes. */
export interface TextChannel {
  readonly uuid: string;
  /** Posts a text, which is also its id. @returns the status */
  send(member: Clustered, text: string): Promise<number>;
  /** The same, until the process accepts it. */
  post(member: Clustered, text: string): Promise<void>;
  /** The texts of the contact, as a process shows them. */
  texts(member: Clustered): Promise<string[]>;
}

export async function textChannel(creator: Clustered, from_addr = 'web:1'): Promise<TextChannel> {
  const created = await creator.call('POST', '/admin/v1/channels', { from_addr, name: 'Shop', endpoint: 'http://127.0.0.1:1/' });
  const { uuid } = created.body.number;
  const token = (await creator.call('POST', `/admin/v1/numbers/${uuid}/tokens`, { name: 't' })).body.text as string;
  const send = async (member: Clustered, id: string): Promise<number> => {
    const message = { type: 'text', from: '+27821', id, timestamp: '1767600000', text: { body: id } };
    const body = { contact: { id: '+27821', profile: { name: 'Ann' } }, message };
    return (await member.call('POST', `/v1/numbers/${uuid}/messages`, body, token)).status;
  };
  return {
    ...{ uuid, send },
    post: (member, id) => until(async () => (await send(member, id)) === 200, `${id} is accepted`),
    async texts(member) {
      const { conversations } = (await member.call('GET', `/admin/v1/conversations?number=${uuid}`)).body;
      const { body } = await member.call('GET', `/admin/v1/conversations/${conversations[0].conversation.uuid}/messages?limit=200`);
      return body.messages.map((one: object) => /"body":"([^"]+)"/.exec(JSON.stringify(one))![1]).reverse();
    },
  };
}
