/**
 * A channel connector. It takes messages to contacts on its webhook, checks that they are signed, names them, and reports what
 * became of them; and it brings in what contacts write. Instead of a messaging service it has a "phone": POST /phone with
 * {"from":"+27611111111","text":"hi"} (replies.ts has the rest). The environment says what the platform said when the channel was
 * made: POSTHORN_API (such as http://127.0.0.1:4100), POSTHORN_NUMBER (number.uuid), POSTHORN_SECRET (webhook.hmac_secret) and
 * POSTHORN_TOKEN (of the channel); and PORT, any free one if not given. The channel's endpoint is this address.
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
    // The signature is over the bytes as they came: check it before parsing, and never over JSON that was written again.
    const isOurs = verifySignature(env.POSTHORN_SECRET, body, String(request.headers['x-svc-hook-signature']));
    if (!isOurs) return answer(401, { signature: 'rejected' });
    const [id, { to, turn }] = [randomUUID(), JSON.parse(body.toString())];
    noteQuestion(id, to, turn);
    // Answer within five seconds, and do the work afterwards. The platform knows the message by this id from now on.
    answer(200, { messages: [{ id }], signature: 'ok' });
    // Here a real connector hands the turn to its messaging service; then it reports what it hears of it.
    for (const status of ['sent', 'delivered']) await post('statuses', { status: { id, recipient_id: to, status, timestamp: now() } });
  } catch (error) {
    console.error(`connector: ${error}`);
    if (!response.headersSent) answer(500, { error: (error as Error).message });
  }
});

/** Tries again while the platform does not answer: it may be starting. What it refuses, it would refuse again. */
async function post(what: 'messages' | 'statuses', body: object, attempt = 1): Promise<void> {
  const url = `${env.POSTHORN_API}/v1/numbers/${env.POSTHORN_NUMBER}/${what}`;
  const headers = { authorization: `Bearer ${env.POSTHORN_TOKEN}`, 'content-type': 'application/json' };
  const got = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch((error: Error) => error);
  if (got instanceof Response && got.ok) return;
  const problem = got instanceof Response ? `${got.status} ${await got.text()}` : got.message;
  if ((got instanceof Response && got.status < 500) || attempt === 8) throw new Error(`the platform did not take ${what}: ${problem}`);
  await sleep(250 * 2 ** attempt);
  await post(what, body, attempt + 1);
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`connector on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
