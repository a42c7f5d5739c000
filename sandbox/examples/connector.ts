/**
 * A channel connector. Its webhook receives messages to contacts, verifies their signatures, assigns ids and reports statuses; it
 * also posts messages of contacts. Instead of a messaging service it has a "phone": POST /phone with
 * {"from":"+27611111111","text":"hi"} (more in replies.ts). Set these variables from the response that created the channel:
 * POSTHORN_API (such as http://127.0.0.1:4100), POSTHORN_NUMBER (number.uuid), POSTHORN_SECRET (webhook.hmac_secret) and
 * POSTHORN_TOKEN (of the channel); and PORT (default: any free one). The channel's endpoint is the address of this server.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from 'posthorn/signature';
import { inboundOf, noteQuestion } from './replies.js';

const { env } = process;
const now = (): string => String(Math.floor(Date.now() / 1000));

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    const body = await buffer(request);
    if (request.url === '/phone') {
      const inbound = inboundOf(JSON.parse(body.toString()), { id: randomUUID(), timestamp: now() });
      if ('message' in inbound) await post('messages', inbound);
      return answer('message' in inbound ? 200 : 400, 'message' in inbound ? { id: inbound.message.id } : inbound);
    }
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    // The signature covers the raw bytes: verify it before parsing, and never on re-serialized JSON.
    const isOurs = verifySignature(env.POSTHORN_SECRET, body, String(request.headers['x-svc-hook-signature']));
    if (!isOurs) return answer(401, { signature: 'rejected' });
    const [id, { to, turn }] = [randomUUID(), JSON.parse(body.toString())];
    noteQuestion(id, to, turn);
    // Respond within five seconds and do the work afterwards. From now on the platform knows the message by this id.
    answer(200, { messages: [{ id }], signature: 'ok' });
    // A real connector passes the message to its messaging service here, and reports the statuses that it receives.
    for (const status of ['sent', 'delivered']) await post('statuses', { status: { id, recipient_id: to, status, timestamp: now() } });
  } catch (error) {
    console.error(`connector: ${error}`);
    if (!response.headersSent) answer(500, { error: (error as Error).message });
  }
});

/** Retries while the platform does not respond, as it may be starting. A refused request would be refused again. */
async function post(what: 'messages' | 'statuses', body: object, attempt = 1): Promise<void> {
  const url = `${env.POSTHORN_API}/v1/numbers/${env.POSTHORN_NUMBER}/${what}`;
  const headers = { authorization: `Bearer ${env.POSTHORN_TOKEN}`, 'content-type': 'application/json' };
  const got = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch((error: Error) => error);
  if (got instanceof Response && got.ok) return;
  const problem = got instanceof Response ? `${got.status} ${await got.text()}` : got.message;
  if ((got instanceof Response && got.status < 500) || attempt === 8) throw new Error(`the platform did not accept ${what}: ${problem}`);
  await sleep(250 * 2 ** attempt);
  await post(what, body, attempt + 1);
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`connector on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
