// BullMQ as a sender of webhooks: node bullmq-process.js <url of the receiver> <URL of Redis> <node | hapi>
import { CONNECTIONS } from '../deliveries/sender.js';
import { required } from '../measuring/on-demand.js';
import { ATTEMPTS, serveEvents } from './event-server.js';

/** The used part of `bullmq`. */
interface BullMq {
  readonly Queue: new (name: string, options: object) => Part & { add(name: string, data: object): Promise<unknown> };
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: object }) => Promise<unknown>,
    options: object,
  ) => Part & { on(event: 'error', listener: (error: Error) => void): void };
}
interface Part {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

const { Queue, Worker } = required<BullMq>('bullmq');
const NAME = 'deliveries';
const connection = { host: '127.0.0.1', port: Number(new URL(process.argv[3]!).port), maxRetriesPerRequest: null };
const defaultJobOptions = { attempts: ATTEMPTS, backoff: { type: 'exponential', delay: 5_000 }, removeOnComplete: true };

await serveEvents(async (deliver) => {
  const queue = new Queue(NAME, { connection, defaultJobOptions });
  const worker = new Worker(NAME, ({ data }) => deliver(data), { connection, concurrency: CONNECTIONS });
  worker.on('error', (error) => console.error(error));
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  return {
    accept: (event) => queue.add('event', event),
    async stop() {
      await worker.close();
      await queue.close();
    },
  };
});
