import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { parse } from 'yaml';
import type { Tap } from '../../../../core/testing/tap.js';
import { debianServer, run } from '../../../../scripts/crash/test-database.js';
import { freePort } from '../../../../scripts/free-port.js';
import { onlyLong } from '../../../forms.js';
import { sample } from '../../../pages/samples.js';
import { killNode, loaded, type ManagedNode, programIn, sharedFolder, signalReceiver, startManager } from './managed-fail-over.js';

const NODES = 3;
/** Without a service for its state: `pip install 'patroni[raft]' 'psycopg[binary]'`. */
const patroni = programIn('patroni');
const bin = debianServer();

const START_LIMIT_MS = 120_000;

/** A node of Patroni with the settings of the page, and its API. */
interface Node extends ManagedNode {
  /** The role that Patroni gives it. */
  role(): Promise<string | undefined>;
  /** Whether its cluster has a synchronous replica. */
  isSynchronous(): Promise<boolean>;
}

async function patroniNodes(t: Tap, patroni: string, bin: string): Promise<Node[]> {
  const root = sharedFolder(t);
  const ports = await Promise.all(Array.from({ length: NODES * 3 }, () => freePort()));
  const printed = parse(sample('plugins/cluster/database.md', 'yaml', 'patroni.yml'));
  const nodes: Node[] = [];
  for (let i = 0; i < NODES; i++) {
    const [port, api, raft] = ports.slice(i * 3);
    const data = join(root, `data-${i}`);
    const rafts = ports.filter((_, n) => n % 3 === 2).map((one) => `127.0.0.1:${one}`);
    const user = (username: string) => ({ username, password: 'secret' });
    await run('/bin', 'mkdir', [join(root, `raft-${i}`)]);
    const settings = {
      ...{ scope: 'posthorn', name: `node-${i}` },
      raft: { self_addr: `127.0.0.1:${raft}`, partner_addrs: rafts.filter((_, n) => n !== i), data_dir: join(root, `raft-${i}`) },
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      bootstrap: { ...printed.bootstrap, initdb: [{ encoding: 'UTF8' }, 'no-locale', 'no-sync'] },
      postgresql: {
        ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, bin_dir: bin },
        authentication: { superuser: user('postgres'), replication: user('replicator'), rewind: user('rewinder') },
        pgpass: join(root, `pgpass-${i}`),
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { fsync: 'off', unix_socket_directories: '', shared_buffers: '16MB', jit: 'off' },
      },
    };
    const file = join(root, `patroni-${i}.yml`);
    writeFileSync(file, JSON.stringify(settings));
    const get = async (path: string): Promise<{ readonly role?: string } | undefined> =>
      (await fetch(`http://127.0.0.1:${api}${path}`).catch(() => undefined))?.json() as Promise<{ readonly role?: string }> | undefined;
    const node: Node = {
      ...{ data, port: port!, manager: startManager(patroni, [file]) },
      role: async () => (await get('/patroni'))?.role,
      isSynchronous: async () => JSON.stringify(await get('/cluster'))?.includes('"sync_standby"') ?? false,
    };
    nodes.push(node);
    t.teardown(() => killNode(node));
  }
  return nodes;
}

/** Longer than `loop_wait` of the page, the interval at which Patroni publishes the position of the primary. */
const PUBLISHED_MS = 6_000;

const blows = {
  'the node of the primary is killed': async () => undefined,
  'the primary has written what no replica has received, and its node is killed': async (replicas: readonly Node[]) => {
    for (const replica of replicas) signalReceiver(replica, 'SIGSTOP');
    await sleep(PUBLISHED_MS);
    // When the primary was killed, the receivers end without reading the rest from their connections.
    return () => {
      for (const replica of replicas) for (const signal of ['SIGTERM', 'SIGCONT'] as const) signalReceiver(replica, signal);
    };
  },
};

for (const [blow, prepare] of Object.entries(blows))
  t.test(
    `a cluster on Patroni with the printed settings loses nothing when ${blow}, and serves again by itself`,
    { skip: onlyLong || (!bin && 'needs the package postgresql of Debian') || (!patroni && 'needs patroni[raft] in PATH') },
    async (t) => {
      const nodes = await patroniNodes(t, patroni!, bin!);
      const primary = async () => {
        for (const node of nodes) if ((await node.role()) === 'primary') return node;
        return undefined;
      };
      for (const end = performance.now() + START_LIMIT_MS; !(await (await primary())?.isSynchronous()); await sleep(100))
        if (performance.now() > end) throw new Error('no replica is synchronous');
      await loaded(t, nodes, async () => {
        const killed = (await primary())!;
        const release = await prepare(nodes.filter((node) => node !== killed));
        killNode(killed);
        release?.();
      });
    },
  );
