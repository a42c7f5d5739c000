import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Tap } from '../../../../core/testing/tap.js';
import { compare, createChannel, Load, startEndpoint } from '../../../../scripts/crash/acknowledged-load.js';
import { storedMessages } from '../../../../scripts/crash/cluster-rounds.js';
import { ADMIN_KEY } from '../../../../scripts/crash/member-keys.js';
import { killAll, processesOf, urlOfAll } from '../../../../scripts/crash/replicated-server.js';
import { userFor } from '../../../../scripts/crash/test-database.js';
import { until } from '../../../../scripts/crash/until.js';
import { clustered, folderFor, settled } from '../clustered.js';

/** How long messages are posted before the blow. */
const LOAD_MS = 2_000;

/** A server that another program, such as Patroni, starts and promotes. */
export interface ManagedNode {
  readonly data: string;
  readonly port: number;
  /** The program on this node. */
  readonly manager: ChildProcess;
}

export const urlOf = ({ port }: Pick<ManagedNode, 'port'>): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

/** The first value that a query returns. */
export async function answerOf(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** The path of a program, if it is installed. */
export function programIn(name: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** A folder that the user of PostgreSQL reaches. */
export function sharedFolder(t: Tap): string {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-managed-'));
  chmodSync(root, 0o777);
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Starts the program of a node as the user of PostgreSQL. */
export function startManager(program: string, flags: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(program, flags, {
    ...userFor(),
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}

const serverOf = ({ data }: Pick<ManagedNode, 'data'>): number => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);

/** Kills the program of a node, and its server with all processes. */
export function killNode(node: ManagedNode): void {
  killAll({ pid: () => node.manager.pid! });
  if (existsSync(join(node.data, 'postmaster.pid'))) killAll({ pid: () => serverOf(node) });
}

/** Stops or continues the process that receives the write-ahead log on a replica. */
export function signalReceiver(node: ManagedNode, signal: NodeJS.Signals): void {
  const receivers = processesOf({ pid: () => serverOf(node) }).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walreceiver'),
  );
  for (const pid of receivers) process.kill(pid, signal);
}

/** Posts to a cluster on these servers, strikes, and compares what was acknowledged with what is there when every conversation continues. */
export async function loaded(t: Tap, nodes: readonly ManagedNode[], strike: () => Promise<unknown>): Promise<void> {
  const [folder, schema, shards] = [folderFor(t), 'posthorn', 2];
  const database = { url: urlOfAll(nodes.map(urlOf)), schema };
  const options = { folder, shards, platform: { admin: { key: ADMIN_KEY } }, database: { leaseMs: 3_000 } };
  const members = [await clustered(t, database, options), await clustered(t, database, options)];
  await settled(members);
  const endpoint = await startEndpoint();
  t.teardown(endpoint.stop);
  const channels = [await createChannel(members[0]!.url, endpoint.url, 0), await createChannel(members[1]!.url, endpoint.url, 1)];
  const outcome = { acknowledged: 0, lost: 0, undelivered: 0, outOfOrder: 0, refused: 0, problems: [] as string[] };
  const load = new Load(members, channels, outcome, 50);
  t.teardown(() => load.abandon());
  await load.acknowledgedAll();
  await sleep(LOAD_MS);
  const before = outcome.acknowledged;
  const struckAt = performance.now();
  await strike();
  await load.acknowledgedAll();
  t.comment(`${before} messages acknowledged before; all conversations continued after ${Math.round(performance.now() - struckAt)} ms`);
  await load.stop();
  const acknowledged = load.acknowledged.flatMap((last, conversation) =>
    Array.from({ length: last }, (_, n) => `${conversation}:${n + 1}`),
  );
  await until(() => new Set(endpoint.received).size >= acknowledged.length, 'everything is delivered');
  await Promise.all(members.map(({ stop }) => stop()));
  const stored = await storedMessages({ server: database, schema }, shards);
  compare(acknowledged, new Map([...stored].map(([one, keys]) => [one, keys.length])), endpoint.received, outcome);
  t.ok(before > 0 && outcome.acknowledged > before, `${outcome.acknowledged} messages were acknowledged, ${before} before the blow`);
  t.strictSame(outcome.problems, [], 'nothing is lost, doubled, undelivered or out of order');
}
