// The HTTP part of the stacks with a queue: node:http takes events, and answers when the queue has stored them durably.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { CONNECTIONS, sendSigned } from '../deliveries/sender.js';

export const SECRET = 'x'.repeat(43);
/** A job gets as many attempts as a delivery. */
export const ATTEMPTS = 6;

export interface Ready {
  readonly port: number;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Queue {
  /** Resolves when the event is durable. */
  accept(event: object): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Serves until the parent closes the IPC channel. `start` gets the function that delivers an event. */
export async function serveEvents(start: (deliver: (event: object) => Promise<void>) => Promise<Queue>): Promise<void> {
  const pool = new Pool(process.argv[2]!, { connections: CONNECTIONS });
  const queue = await start((event) => sendSigned(pool, SECRET, JSON.stringify(event)));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const respond = (status: number, answer: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      };
      try {
        await queue.accept(JSON.parse(Buffer.concat(chunks).toString()));
        respond(200, { success: true });
      } catch (error) {
        respond(500, { error: String(error) });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.on('disconnect', () => void queue.stop().finally(() => process.exit()));
  process.send!({ port: (server.address() as AddressInfo).port, secrets: { '/': SECRET } } satisfies Ready);
}
