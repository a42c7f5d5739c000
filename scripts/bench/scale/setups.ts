// The sides of the benchmark of several processes: a data folder, clusters of processes, and pg-boss.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { admin } from '../../crash/acknowledged-load.js';
import { freePort } from '../../free-port.js';
import { phone } from '../api/phones.js';
import { type Call, request } from '../api/sides.js';
import { folderOnDisk } from '../measuring/folders.js';
import type { Receiver } from '../measuring/receiver.js';
import { endChild, messageOf } from '../measuring/rounds.js';
import type { Database } from '../stacks/databases.js';
import type { Ready } from '../stacks/event-server.js';
import type { ScaleReady } from './scale-process.js';

export const CALLERS = 64;
const SHARDED_WITHIN_MS = 300_000;
const LOOK_MS = 50;
/** New tenants go to the shard with the fewest, so this many reach every shard. */
const MAX_CHANNELS_PER_SHARD = 4;
const TEXT = 'a question about opening hours';

/** Processes that accept messages over HTTP, store them durably before the response, and deliver them signed to the receiver. */
export interface Setup {
  readonly name: string;
  readonly pids: readonly number[];
  /** Posts message `n` to the process that owns its shard. */
  post(n: number): Promise<void>;
  stop(): Promise<void>;
}

/** A number in one shard. */
export interface Target {
  readonly shard: string;
  readonly channel: string;
  readonly token: string;
}

export interface ClusterSetup extends Setup {
  /** Posts message `n` to a process that does not own its shard. */
  postElsewhere(n: number): Promise<void>;
  readonly schema: string;
  readonly targets: readonly Target[];
}

export interface ClusterShape {
  readonly shards: number;
  readonly processes: number;
  readonly execArgv?: readonly string[];
  /** That of a cluster without the option, if not given. */
  readonly leaseMs?: number;
  /** The URL of the database for the next process; that of the database itself if not given. */
  readonly linkOf?: () => Promise<string>;
}

/** One process with its journal in a data folder. */
export async function startFile(receiver: Receiver): Promise<Setup> {
  const folder = folderOnDisk();
  const { child, url } = await startProcess(['file', folder]);
  const target = await createTarget(url, receiver, 'file');
  const pool = new Pool(url, { connections: CALLERS });
  return {
    name: 'data folder, 1 process',
    pids: [child.pid!],
    post: (n) => request(pool, messageTo(target, n)),
    async stop() {
      await pool.close();
      await endChild(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** pg-boss behind an HTTP server of its own. */
export async function startPgBoss(receiver: Receiver, database: Database): Promise<Setup> {
  const child = fork(join(import.meta.dirname, '../stacks/pg-boss-process.js'), [receiver.url, database.url]);
  const { port, secrets } = await messageOf<Ready>(child, 'pg-boss');
  await receiver.expectSignatures(secrets);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CALLERS });
  return {
    name: 'pg-boss, 1 process',
    pids: [child.pid!],
    post: (n) => request(pool, { method: 'POST', path: '/events', token: 'none', body: bodyOf(n) }),
    async stop() {
      await pool.close();
      await endChild(child);
    },
  };
}

/** A cluster with new data, one number in each shard, and the shards divided evenly among the processes. */
export async function startCluster(
  receiver: Receiver,
  database: Database,
  { shards, processes, ...more }: ClusterShape,
): Promise<ClusterSetup> {
  const folder = folderOnDisk();
  const schema = `scale_${shards}_${processes}_${Date.now()}`;
  const members = await startMembers(database, { folder, schema, shards, processes, ...more });
  const urls = members.map(({ url }) => url);
  await spread(urls);
  const targets = await targetsIn(urls[0]!, receiver, shards);
  const pools = new Map(urls.map((url) => [url, new Pool(url, { connections: CALLERS })]));
  const ownerOf = await owners(urls[0]!);
  const postTo = (n: number, isElsewhere: boolean): Promise<void> => {
    const target = targets[n % targets.length]!;
    const owner = ownerOf.get(target.shard)!;
    return request(pools.get(isElsewhere ? urls.find((url) => url !== owner)! : owner)!, messageTo(target, n));
  };
  return {
    name: `${shards} shard${shards === 1 ? '' : 's'}, ${processes} process${processes === 1 ? '' : 'es'}`,
    pids: members.map(({ child }) => child.pid!),
    schema,
    targets,
    post: (n) => postTo(n, false),
    postElsewhere: (n) => postTo(n, true),
    async stop() {
      for (const pool of pools.values()) await pool.close();
      for (const { child } of members) await endChild(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface MemberOptions extends ClusterShape {
  readonly folder: string;
  readonly schema: string;
}

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts processes of a cluster, and waits until each listens. */
export async function startMembers(
  database: Database,
  { folder, schema, shards, processes, leaseMs, execArgv = [], linkOf }: MemberOptions,
): Promise<StartedProcess[]> {
  const members: StartedProcess[] = [];
  for (let i = 0; i < processes; i++) {
    const args = ['cluster', folder, schema, `${await freePort()}`, `${shards}`, ...(leaseMs === undefined ? [] : [`${leaseMs}`])];
    const url = (await linkOf?.()) ?? database.url;
    members.push(await startProcess(args, { env: { ...process.env, POSTHORN_DATABASE_URL: url }, execArgv: [...execArgv] }));
  }
  return members;
}

async function startProcess(args: readonly string[], options: Parameters<typeof fork>[2] = {}): Promise<StartedProcess> {
  const child = fork(join(import.meta.dirname, 'scale-process.js'), args, options);
  const { url } = await messageOf<ScaleReady>(child, `the process of ${args[0]}`);
  return { child, url };
}

/** Assigns the shards to the processes in turns, and waits until each is owned where it was assigned. */
async function spread(urls: readonly string[]): Promise<void> {
  const { shards, processes } = await clusterAt(urls[0]!, ({ processes }) => processes.length === urls.length);
  const ids = urls.map((url) => processes.find((one) => one.url === url)!.id);
  for (const [i, { shard }] of shards.entries()) await admin(urls[0]!, 'POST', '/cluster/moves', { shard, process: ids[i % ids.length] });
  await clusterAt(urls[0]!, ({ shards, warnings }) => {
    const isSpread = shards.every(({ owner }, i) => owner === ids[i % ids.length]);
    return isSpread && (urls.length === 1 || warnings.length === 0);
  });
}

async function owners(url: string): Promise<Map<string, string>> {
  const { shards, processes } = await clusterAt(url, () => true);
  const urlOf = new Map(processes.map((one) => [one.id, one.url]));
  return new Map(shards.map(({ shard, owner }) => [shard, urlOf.get(owner!)!]));
}

export interface View {
  readonly processes: readonly { readonly id: string; readonly url: string }[];
  readonly shards: readonly { readonly shard: string; readonly owner: string | null; readonly tenants: number }[];
  readonly warnings: readonly string[];
}

/** The state of the cluster, as soon as it is as wanted. @throws when it does not become so within `limitMs`, five minutes if not given */
export async function clusterAt(url: string, isWanted: (view: View) => boolean, limitMs = SHARDED_WITHIN_MS): Promise<View> {
  for (const end = performance.now() + limitMs; ; await sleep(LOOK_MS)) {
    const { status, body } = await admin(url, 'GET', '/cluster').catch(() => ({ status: 503, body: undefined }));
    if (status === 200 && isWanted(body.cluster)) return body.cluster;
    if (performance.now() > end) throw new Error(`the cluster does not become ready: ${JSON.stringify(body?.cluster)}`);
  }
}

/** Creates numbers until every shard has one. */
async function targetsIn(url: string, receiver: Receiver, shards: number): Promise<Target[]> {
  const found = new Map<string, Target>();
  for (let n = 0; found.size < shards; n++) {
    if (n === shards * MAX_CHANNELS_PER_SHARD) throw new Error(`${n} numbers are in only ${found.size} of ${shards} shards`);
    const before = new Map((await clusterAt(url, () => true)).shards.map(({ shard, tenants }) => [shard, tenants]));
    const target = await createTarget(url, receiver, `scale-${n}`);
    const hasOneMore = ({ shard, tenants }: View['shards'][number]): boolean => tenants > before.get(shard)!;
    const { shard } = (await clusterAt(url, (view) => view.shards.some(hasOneMore))).shards.find(hasOneMore)!;
    found.set(shard, { ...target, shard });
  }
  return [...found.values()];
}

async function createTarget(url: string, receiver: Receiver, name: string): Promise<Target> {
  const expect = ({ status, body }: Awaited<ReturnType<typeof admin>>) => {
    if (status >= 300) throw new Error(`the admin API responded ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const { number } = expect(
    await admin(url, 'POST', '/channels', { from_addr: `web:${name}`, name: 'Scale', endpoint: `${receiver.url}/` }),
  );
  const { text: token } = expect(await admin(url, 'POST', `/numbers/${number.uuid}/tokens`, { name: 'scale' }));
  const hook = expect(await admin(url, 'POST', '/webhooks', { number: number.uuid, url: `${receiver.url}/${number.uuid}` }));
  await receiver.expectSignatures({ [`/${number.uuid}`]: hook.hmac_secret });
  return { shard: '', channel: number.uuid, token };
}

const bodyOf = (n: number): object => ({
  contact: { id: phone(n), profile: { name: 'Ann' } },
  message: { type: 'text', from: phone(n), id: `in-${n}`, timestamp: '1767600000', text: { body: TEXT } },
});

const messageTo = ({ channel, token }: Target, n: number): Call => ({
  method: 'POST',
  path: `/v1/numbers/${channel}/messages`,
  token,
  body: bodyOf(n),
});
