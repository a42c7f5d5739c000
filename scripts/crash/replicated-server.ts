import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.js';
import { debianServer, debianServerOn, initialize, run, type TestServer } from './test-database.js';
import { until } from './until.js';

/** As in tests with one server; and what replication needs. */
const SETTINGS = [
  ...['fsync=off', 'full_page_writes=off', 'max_connections=90', 'shared_buffers=16MB', 'autovacuum=off', 'jit=off'],
  ...['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on', 'wal_keep_size=256MB', 'wal_retrieve_retry_interval=100ms'],
];
const STOPPED = 'SIGSTOP';

/** One URL for the servers of a database, for whichever accepts writes. */
export const urlOfAll = (urls: readonly string[]): string =>
  `postgres://postgres@${urls.map((url) => new URL(url).host).join(',')}/postgres?target_session_attrs=read-write`;

interface Node extends TestServer {
  readonly data: string;
  readonly port: number;
}

/** A server of Debian with a replica that `pg_basebackup` has made, both on free ports of loopback. */
export class ReplicatedServer {
  /** The URL of both: whichever is the primary accepts writes. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly #bin: string;
  readonly #root: string;
  #primary: Node;
  #other: Node;
  /** Whether the other one runs as a replica. */
  #hasReplica = false;

  private constructor(bin: string, root: string, ports: readonly [number, number]) {
    [this.#bin, this.#root] = [bin, root];
    const nodes = ports.map((port, i) => {
      const data = join(root, `data-${i}`);
      return { ...debianServerOn({ bin, data, port }, SETTINGS), data, port };
    }) as [Node, Node];
    [this.#primary, this.#other] = nodes;
    this.urls = nodes.map(({ url }) => url);
    this.url = urlOfAll(this.urls);
  }

  /** @returns why there is none */
  static async start(): Promise<ReplicatedServer | string> {
    const bin = debianServer();
    if (!bin) return 'needs the package postgresql of Debian, for pg_basebackup';
    const root = mkdtempSync(join(tmpdir(), 'posthorn-replicated-'));
    // PostgreSQL refuses to run as root, so another user must reach the folder, and create the folder of the replica.
    chmodSync(root, 0o777);
    const server = new ReplicatedServer(bin, root, [await freePort(), await freePort()]);
    await initialize(bin, server.#primary.data);
    await server.#primary.start();
    await server.attach();
    return server;
  }

  get primary(): TestServer {
    return this.#primary;
  }

  /** The data folder of the primary. */
  get dataFolder(): string {
    return this.#primary.data;
  }

  async stop(): Promise<void> {
    for (const node of [this.#primary, this.#other]) {
      signalAll(node, 'SIGCONT');
      await node.stop();
    }
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Makes the other server a new replica of the primary. */
  async attach(): Promise<void> {
    await this.#copyTo(this.#other.data, '-R');
    await this.#other.start();
    // Otherwise, its commits would wait for a replica of its own after a fail-over.
    await set(this.#other, 'synchronous_standby_names', undefined);
    this.#hasReplica = true;
    await this.releaseReplica();
  }

  /** Makes a backup of the primary, for `restore`. */
  async backUp(): Promise<void> {
    await this.#copyTo(join(this.#root, 'backup'));
  }

  /** Ends both servers, and starts the primary again from the backup. There is no replica then. */
  async restore(): Promise<void> {
    for (const node of [this.#primary, this.#other]) {
      killAll(node);
      await node.stop();
    }
    this.#hasReplica = false;
    rmSync(this.#primary.data, { recursive: true, force: true });
    renameSync(join(this.#root, 'backup'), this.#primary.data);
    await this.#primary.start();
  }

  async #copyTo(folder: string, ...more: readonly string[]): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    const from = ['-h', '127.0.0.1', '-p', String(this.#primary.port), '-U', 'postgres'];
    await run(this.#bin, 'pg_basebackup', [
      ...from,
      ...['-D', folder],
      ...more,
      '-X',
      'stream',
      '--checkpoint=fast',
      '--no-sync',
      '--no-manifest',
    ]);
  }

  /** Has a replica again, for a test that begins. */
  async reset(isSynchronous: boolean): Promise<void> {
    if (!this.#hasReplica) {
      await this.endPrevious();
      await this.attach();
    } else await this.releaseReplica();
    await this.setSynchronous(isSynchronous);
  }

  /** Whether commits wait for the replica. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    await set(this.#primary, 'synchronous_standby_names', isSynchronous ? '*' : undefined);
    await until(async () => (await ask(this.#primary, 'show synchronous_standby_names')) === (isSynchronous ? '*' : ''), 'the setting');
  }

  /** The replica gets nothing more. */
  async holdReplica(): Promise<void> {
    await set(this.#other, 'primary_conninfo', '');
    await until(async () => (await this.#streams()) === 0, 'the replica is cut off');
  }

  /** The replica gets everything. */
  async releaseReplica(): Promise<void> {
    await set(this.#other, 'primary_conninfo', `host=127.0.0.1 port=${this.#primary.port} user=postgres`);
    await until(async () => (await this.#streams()) === 1, 'the replica follows');
  }

  /** The replica ends. */
  async loseReplica(): Promise<void> {
    process.kill(this.#other.pid(), 'SIGKILL');
    this.#hasReplica = false;
    await until(async () => (await this.#streams()) === 0, 'the replica has ended');
  }

  /** Resolves when a commit waits for the replica. */
  async waiting(): Promise<void> {
    await until(async () => (await ask(this.#primary, `select count(*) ${WAITING}`)) !== '0', 'a commit waits');
  }

  /** Ends the sessions whose commits wait for the replica. @returns how many */
  async endSessions(): Promise<number> {
    return Number(await ask(this.#primary, `select count(pg_terminate_backend(pid)) ${WAITING}`));
  }

  /** Stops all processes of the primary. */
  freezePrimary(): void {
    signalAll(this.#primary, STOPPED);
  }

  /** After a fail-over: lets the previous primary continue, which does not know of it. */
  thawPrevious(): void {
    signalAll(this.#other, 'SIGCONT');
  }

  /** Kills the primary, unless it is frozen, and promotes the replica. There is no other replica then. */
  async failOver({ isFrozen = false } = {}): Promise<void> {
    if (!this.#hasReplica) throw new Error('there is no replica');
    if (!isFrozen) killAll(this.#primary);
    [this.#primary, this.#other] = [this.#other, this.#primary];
    this.#hasReplica = false;
    await ask(this.#primary, 'select pg_promote(true, 60)');
  }

  /** Kills the previous primary, if it still runs. */
  async endPrevious(): Promise<void> {
    killAll(this.#other);
    await this.#other.stop();
  }

  /** Replicas that follow. */
  async #streams(): Promise<number> {
    return Number(await ask(this.#primary, `select count(*) from pg_stat_replication where state = 'streaming'`));
  }
}

const WAITING = `from pg_stat_activity where wait_event = 'SyncRep'`;

async function ask({ url }: Pick<TestServer, 'url'>, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return String((rows as unknown[][])[0]?.[0] ?? '');
  } finally {
    await client.end();
  }
}

/** Sets a parameter of a server, or resets it. */
async function set(node: Node, name: string, value: string | undefined): Promise<void> {
  await ask(node, value === undefined ? `alter system reset ${name}` : `alter system set ${name} = '${value}'`);
  await ask(node, 'select pg_reload_conf()');
}

/** Kills a server, and starts it again after some milliseconds. */
export async function outage(server: TestServer, ms: number): Promise<void> {
  killAll(server);
  await sleep(ms);
  await server.start();
}

/** Stops all processes of a server for some milliseconds. */
export async function stall(server: TestServer, ms: number): Promise<void> {
  signalAll(server, STOPPED);
  await sleep(ms);
  signalAll(server, 'SIGCONT');
}

/** The main process of a server and its children, each of which is a process group of its own. */
export function processesOf({ pid }: Pick<TestServer, 'pid'>): number[] {
  const parent = pid();
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]) === parent;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  return [parent, ...children.map(Number)];
}

function signalAll(node: Pick<TestServer, 'pid'>, signal: NodeJS.Signals): void {
  for (const pid of processesOf(node)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Kills a server with all of its processes. */
export const killAll = (node: Pick<TestServer, 'pid'>): void => signalAll(node, 'SIGKILL');
