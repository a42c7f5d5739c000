/**
 * A channel connector. Its webhook receives messages to contacts, verifies their signatures, assigns ids and reports statuses; it
 * also posts messages of contacts. Instead of a messaging service it has a "phone": POST /phone with
 * {"from":"+27611111111","text":"hi"} (more in replies.ts), which is also a driver for `posthorn conform`. Set these variables from
 * the response that created the channel:
 * POSTHORN_API (such as http://127.0.0.1:4100), POSTHORN_NUMBER (number.uuid), POSTHORN_SECRET (webhook.hmac_secret) and
 * POSTHORN_TOKEN (of the channel); and PORT (default: any free one). The channel's endpoint is the address of this server.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifySignature } from 'posthorn/signature';
import { messageIn, now, post, report } from './channel-api.js';
import { inboundOf, noteQuestion } from './replies.js';

const { env } = process;
/** A real connector stores them for some minutes. */
const sent = new Set<string>();

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    const body = await buffer(request);
    if (request.url === '/phone') {
      const action = JSON.parse(body.toString());
      if (action.status) return answer(200, { reported: await report(action.id, action.from, action.status) });
      const inbound = inboundOf(action, { id: randomUUID(), timestamp: now() });
      if ('message' in inbound) await post('messages', inbound);
      return answer('message' in inbound ? 200 : 400, 'message' in inbound ? { id: inbound.message.id } : inbound);
    }
    if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
    // The signature covers the raw bytes: verify it before parsing, and never on re-serialized JSON.
    const isOurs = verifySignature(env.POSTHORN_SECRET, body, String(request.headers['x-svc-hook-signature']));
    if (!isOurs) return answer(401, { signature: 'rejected' });
    // The same in every attempt of a delivery. An equal message has another one.
    const id = String(request.headers['x-svc-hook-delivery'] ?? randomUUID());
    const { to, turn } = messageIn(body);
    // A retry would bring the same body, so refuse it with a 4XX, which cancels retries.
    if (!turn) return answer(400, { error: 'this is not a message to a contact' });
    noteQuestion(id, to, turn);
    // Respond within five seconds and do the work afterwards. From now on the platform knows the message by this id.
    answer(200, { messages: [{ id }], signature: 'ok' });
    // The response to an earlier attempt was lost, or came too late. A redelivery is another run: an operator wants it sent again.
    const run = `${id} ${request.headers['x-svc-hook-run']}`;
    if (sent.has(run)) return;
    sent.add(run);
    // A real connector passes the message to its messaging service here, and reports the statuses that it receives.
    for (const status of ['sent', 'delivered']) await report(id, to, status);
  } catch (error) {
    console.error(`connector: ${error}`);
    if (!response.headersSent) answer(500, { error: (error as Error).message });
  }
});

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`connector on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
