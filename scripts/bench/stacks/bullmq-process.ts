// BullMQ as a sender of webhooks: node bullmq-process.js <url of the receiver> <port of Redis>
import { Queue, Worker } from 'bullmq';
import { CONNECTIONS } from '../deliveries/sender.js';
import { ATTEMPTS, serveEvents } from './event-server.js';

const NAME = 'deliveries';
const connection = { host: '127.0.0.1', port: Number(process.argv[3]), maxRetriesPerRequest: null };
const defaultJobOptions = { attempts: ATTEMPTS, backoff: { type: 'exponential', delay: 5_000 }, removeOnComplete: true };

await serveEvents(async (deliver) => {
  const queue = new Queue<object>(NAME, { connection, defaultJobOptions });
  const worker = new Worker<object>(NAME, ({ data }) => deliver(data), { connection, concurrency: CONNECTIONS });
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
