/**
 * A webhook endpoint: it verifies the signature of the raw bytes, responds immediately, and drops duplicate events.
 *
 * Environment variables:
 *   POSTHORN_SECRET   hmac_secret of the webhook; for several webhooks their secrets, comma-separated
 *   PORT              the port to listen on (default: any free one)
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifySignature } from 'posthorn/signature';

const { env } = process;

/** The newest event ids. In production, use a database. */
const seen = new Set<string>();
const MAX_SEEN = 10_000;

const server = createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    const header = String(request.headers['x-svc-hook-signature']);
    const isOurs = env.POSTHORN_SECRET.split(',').some((secret) => verifySignature(secret, body, header));
    // Respond before doing any work: deliveries that take more than five seconds are retried.
    // A body that is not JSON would be the same in a retry, so it gets a 4XX.
    const event = (isOurs ? await new Response(body.toString()).json().catch(() => undefined) : undefined) as Event | undefined;
    response
      .writeHead(event ? 200 : isOurs ? 400 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ signature: isOurs ? 'ok' : 'rejected' }));
    if (event) handle(event);
  } catch (error) {
    console.error(`webhook receiver: ${error}`);
    // The platform retries after a 5XX, and not after a 4XX.
    if (!response.headersSent) response.writeHead(500).end();
  }
});

/** Received messages and statuses come in lists. A sent message comes alone, with its recipient in `to`. */
type Notification = Readonly<Record<'id' | 'from' | 'to' | 'type' | 'status', string>>;
type Event = Partial<Notification> & { readonly messages?: readonly Notification[]; readonly statuses?: readonly Notification[] };

function handle({ messages = [], statuses = [], id, to }: Event): void {
  if (id !== undefined && isNew(id)) console.log(`${id} was sent to ${to}`);
  for (const { id, from, type } of messages) if (isNew(id)) console.log(`${from} sent ${id}, of type ${type}`);
  for (const { id, status } of statuses) if (isNew(`${id} ${status}`)) console.log(`${id} is ${status}`);
}

/** Deliveries are at-least-once, so the same event can arrive again. */
function isNew(event: string): boolean {
  if (seen.has(event)) return false;
  if (seen.size === MAX_SEEN) seen.delete(seen.values().next().value!);
  seen.add(event);
  return true;
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`webhook receiver on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
