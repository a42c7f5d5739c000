// The HTTP part of the stacks with a queue: node:http, or a hapi route with a joi schema, takes events, and answers when the queue has
// stored them durably.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Hapi from '@hapi/hapi';
import Joi from 'joi';
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

/** The HTTP server in front of the queue: the fourth argument of the process. */
export type Front = 'node' | 'hapi';

/** Serves until the parent closes the IPC channel. `start` gets the function that delivers an event. */
export async function serveEvents(start: (deliver: (event: object) => Promise<void>) => Promise<Queue>): Promise<void> {
  const pool = new Pool(process.argv[2]!, { connections: CONNECTIONS });
  const queue = await start((event) => sendSigned(pool, SECRET, JSON.stringify(event)));
  const port = await listen[process.argv[4] as Front](queue);
  process.on('disconnect', () => void queue.stop().finally(() => process.exit()));
  process.send!({ port, secrets: { '/': SECRET } } satisfies Ready);
}

/** Each listens, and resolves with its port. */
const listen: Readonly<Record<Front, (queue: Queue) => Promise<number>>> = {
  async node(queue) {
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
    return (server.address() as AddressInfo).port;
  },
  async hapi(queue) {
    const server = Hapi.server({ host: '127.0.0.1', port: 0 });
    server.route({
      method: 'POST',
      path: '/events',
      options: { validate: { payload: eventSchema as never } },
      async handler({ payload }) {
        await queue.accept(payload as object);
        return { success: true };
      },
    });
    await server.start();
    return Number(server.info.port);
  },
};

const text = Joi.string().required();
const required = (keys: Joi.SchemaMap): Joi.Schema => Joi.object(keys).required();
const list = (item: Joi.Schema): Joi.Schema => Joi.array().items(item).min(1).required();
/** The checks of a route for these events. */
const eventSchema = required({
  contacts: list(required({ profile: required({ name: text }), wa_id: text })),
  messages: list(required({ type: text, from: text, id: text, timestamp: text, text: required({ body: text }) })),
});
