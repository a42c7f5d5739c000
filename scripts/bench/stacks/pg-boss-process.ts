// pg-boss as a sender of webhooks: node pg-boss-process.js <url of the receiver> <URL of PostgreSQL> <node | hapi>. Fetches and completes
// jobs in batches, which is its fastest mode.
import { required } from '../measuring/on-demand.js';
import { ATTEMPTS, serveEvents } from './event-server.js';

/** The used part of `pg-boss`. */
interface PgBoss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  fetch(name: string, options: object): Promise<readonly { readonly id: string; readonly data: object }[]>;
  complete(name: string, ids: readonly string[]): Promise<unknown>;
  send(name: string, data: object, options: object): Promise<unknown>;
  stop(options: object): Promise<void>;
}

const Boss = required<new (options: object) => PgBoss>('pg-boss');
const NAME = 'deliveries';
const FETCHERS = 2;
const BATCH = 100;
const POLL_MS = 5;

await serveEvents(async (deliver) => {
  const boss = new Boss({ connectionString: process.argv[3]!, max: 16 });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(NAME);
  let unfinished = 0;
  let isStopped = false;
  const idle: (() => void)[] = [];
  const wake = (): void => {
    for (const resume of idle.splice(0)) resume();
  };
  const fetcher = async (): Promise<void> => {
    while (!isStopped) {
      // Without pending events it does not poll, so that an idle stack costs the other ones nothing.
      if (unfinished === 0) await new Promise<void>((resolve) => idle.push(resolve));
      const jobs = await boss.fetch(NAME, { batchSize: BATCH });
      if (jobs.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        continue;
      }
      await Promise.all(jobs.map(({ data }) => deliver(data)));
      await boss.complete(
        NAME,
        jobs.map(({ id }) => id),
      );
      unfinished -= jobs.length;
    }
  };
  const fetchers = Array.from({ length: FETCHERS }, fetcher);
  return {
    async accept(event) {
      await boss.send(NAME, event, { retryLimit: ATTEMPTS - 1, retryDelay: 5, retryBackoff: true });
      unfinished++;
      wake();
    },
    async stop() {
      isStopped = true;
      wake();
      await Promise.all(fetchers);
      await boss.stop({ graceful: false, wait: true });
    },
  };
});
