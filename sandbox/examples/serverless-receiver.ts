/**
 * A webhook receiver as a serverless function: a default export with `fetch`, as Cloudflare Workers, Vercel, Deno and Bun run it. Instances
 * of a function share no memory, so it recognizes duplicates by a key in a store that they share.
 * Environment variables: POSTHORN_SECRET. On your machine Node serves the function at PORT (default: 4702).
 */
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifySignature } from 'posthorn/signature';

/** Replace it with your database: insert the key if it is absent, such as with a unique index or Redis `SET key 1 NX EX 86400`. */
const claimed = new Set<string>();
const claim = async (key: string): Promise<boolean> => !claimed.has(key) && claimed.add(key) !== undefined;

interface Event {
  readonly messages?: readonly { readonly id: string; readonly from: string; readonly type: string }[];
  readonly statuses?: readonly { readonly id: string; readonly status: string }[];
}

const receiver = {
  async fetch(request: Request): Promise<Response> {
    const secret = process.env.POSTHORN_SECRET;
    // A 5XX: the platform retries until the secret is set.
    if (!secret) return Response.json({ error: 'POSTHORN_SECRET is not set' }, { status: 500 });
    // The bytes as they arrived: parsing and serializing again would change them, and their signature.
    const body = Buffer.from(await request.arrayBuffer());
    const isOurs = verifySignature(secret, body, request.headers.get('x-svc-hook-signature') ?? undefined);
    if (!isOurs) return Response.json({ signature: 'rejected' }, { status: 401 });
    try {
      // Finish within five seconds, or pass the event to a queue: many hosts stop a function when it has responded.
      await handle(JSON.parse(body.toString()));
    } catch (error) {
      // A retry would bring the same body, so only other failures ask for one.
      return Response.json({ error: String(error) }, { status: error instanceof SyntaxError ? 400 : 500 });
    }
    return Response.json({ signature: 'ok' });
  },
};
export default receiver;

async function handle({ messages = [], statuses = [] }: Event): Promise<void> {
  for (const { id, from, type } of messages) if (await claim(id)) console.log(`${from} sent ${id}, of type ${type}`);
  for (const { id, status } of statuses) if (await claim(`${id} ${status}`)) console.log(`${id} is ${status}`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const server = createServer(async (request, response) => {
    const init = { method: 'POST', headers: request.headers as Record<string, string>, body: await buffer(request) };
    const answer = await receiver.fetch(new Request('http://localhost/', init));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  server.listen(Number(process.env.PORT ?? 4702), '127.0.0.1', () => {
    console.log(`serverless receiver on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
