/**
 * A webhook endpoint: it checks the signature over the raw bytes, answers at once, and drops events that come twice.
 *
 * The environment says:
 *   POSTHORN_SECRET   hmac_secret of the webhook; of several webhooks that lead here, with commas between
 *   PORT              where to listen; any free port if not given
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifySignature } from 'posthorn/signature';

const { env } = process;

/** Yours would be in a database; these are the newest. */
const seen = new Set<string>();
const REMEMBERED = 10_000;

const server = createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    const header = String(request.headers['x-svc-hook-signature']);
    const isOurs = env.POSTHORN_SECRET.split(',').some((secret) => verifySignature(secret, body, header));
    // Answer before working: an endpoint that takes more than five seconds gets everything again.
    response
      .writeHead(isOurs ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ signature: isOurs ? 'ok' : 'rejected' }));
    if (isOurs) take(JSON.parse(body.toString()));
  } catch (error) {
    console.error(`webhook receiver: ${error}`);
    // A 5XX is tried again, a 4XX is not.
    if (!response.headersSent) response.writeHead(500).end();
  }
});

/** Messages and statuses come in lists. A message that was sent comes by itself, with the contact it went to. */
type Notification = Readonly<Record<'id' | 'from' | 'to' | 'type' | 'status', string>>;
type Event = Partial<Notification> & { readonly messages?: readonly Notification[]; readonly statuses?: readonly Notification[] };

function take({ messages = [], statuses = [], id, to }: Event): void {
  if (id !== undefined && isNew(id)) console.log(`${id} was sent to ${to}`);
  for (const { id, from, type } of messages) if (isNew(id)) console.log(`${from} sent ${id}, of type ${type}`);
  for (const { id, status } of statuses) if (isNew(`${id} ${status}`)) console.log(`${id} is ${status}`);
}

/** An event can be delivered more than once. */
function isNew(event: string): boolean {
  if (seen.has(event)) return false;
  if (seen.size === REMEMBERED) seen.delete(seen.values().next().value!);
  seen.add(event);
  return true;
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`webhook receiver on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
