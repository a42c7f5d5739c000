// Redis and PostgreSQL as child processes on loopback, with temporary data on disk.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../free-port.js';
import { folderOnDisk } from '../measuring/folders.js';

const START_MS = 20_000;
const POSTGRES = '/usr/lib/postgresql';
const USER = 'postgres';

export interface Database {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  stop(): Promise<void>;
}

/** Why a database cannot be started here. */
export class Unavailable extends Error {}

/** Redis that syncs its append-only file before it acknowledges a write. @throws Unavailable */
export async function startRedis(): Promise<Database> {
  const found = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (found.error) throw new Unavailable('redis-server is not installed; Debian has it as redis-server');
  const [port, dir] = [await freePort(), folderOnDisk()];
  const config = { port, dir, bind: '127.0.0.1', appendonly: 'yes', appendfsync: 'always', save: '', daemonize: 'no' };
  const args = Object.entries(config).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const version = `Redis ${/v=(\S+)/.exec(found.stdout)?.[1]}`;
  return ready({ child, port, dir, version, url: `redis://127.0.0.1:${port}`, signal: 'SIGTERM' });
}

/** PostgreSQL with its default configuration, in which every commit is synced. @throws Unavailable */
export async function startPostgres(): Promise<Database> {
  const bin = newestPostgres();
  if (bin === undefined) throw new Unavailable(`PostgreSQL is not installed in ${POSTGRES}; Debian has it as postgresql`);
  const user = runAs();
  const [port, root] = [await freePort(), folderOnDisk()];
  const dir = join(root, 'data');
  mkdirSync(dir);
  if (user) {
    chmodSync(root, 0o755);
    chownSync(dir, user.uid, user.gid);
  }
  chmodSync(dir, 0o700);
  const init = spawnSync(join(bin, 'initdb'), ['-D', dir, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  if (init.status !== 0) {
    rmSync(root, { recursive: true, force: true });
    throw new Unavailable(`initdb failed: ${init.error?.message ?? init.stderr.trim()}`);
  }
  const child = spawn(join(bin, 'postgres'), ['-D', dir, '-h', '127.0.0.1', '-p', String(port), '-k', ''], {
    ...user,
    cwd: '/',
    stdio: 'ignore',
  });
  const version = `PostgreSQL ${readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim()}`;
  // SIGINT ends the sessions that clients left open.
  return ready({ child, port, dir: root, version, url: `postgres://${USER}@127.0.0.1:${port}/postgres`, signal: 'SIGINT' });
}

function newestPostgres(): string | undefined {
  if (!existsSync(POSTGRES)) return undefined;
  const bins = readdirSync(POSTGRES)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(POSTGRES, version, 'bin'));
  return bins.find((bin) => existsSync(join(bin, 'initdb')));
}

/** PostgreSQL refuses to run as root. @throws Unavailable when this process is root and the user `postgres` does not exist */
function runAs(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!entry) throw new Unavailable('PostgreSQL refuses to run as root, and the system has no user postgres');
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

interface Starting {
  readonly child: ChildProcess;
  readonly port: number;
  readonly dir: string;
  readonly version: string;
  readonly url: string;
  readonly signal: NodeJS.Signals;
}

async function ready({ child, port, dir, version, url, signal }: Starting): Promise<Database> {
  const kill = (): void => void child.kill(signal);
  // Also when the benchmark fails.
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  const until = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > until) {
      if (child.exitCode === null) await stop();
      throw new Error(`${version} did not start`);
    }
    await sleep(50);
  }
  return { url, port, pid: child.pid!, version, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
