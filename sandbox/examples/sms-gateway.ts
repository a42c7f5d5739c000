/**
 * A connector to an SMS gateway. Texts go out as they are; buttons and lists become numbered lines, and "2" becomes a tap on the second
 * option. POST /inbound, with the form fields `from` and `text`, is what the gateway calls for each SMS that it receives.
 * Environment variables: POSTHORN_API, POSTHORN_NUMBER, POSTHORN_TOKEN and POSTHORN_SECRET (`npx posthorn env` prints them), PORT
 * (default: 4703), and SMS_API, the URL to which SMS are posted as forms (default: they are printed).
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text as textFrom } from 'node:stream/consumers';
import { verifySignature } from 'posthorn/signature';
import { messageIn, now, post, report } from './channel-api.js';
import { inboundOf, noteQuestion } from './replies.js';
import { optionsOf, type Turn } from './turn.js';

const { POSTHORN_SECRET: secret, SMS_API: gateway, PORT = '4703' } = process.env;
/** The titles of the options that each contact was sent last. */
const menus = new Map<string, readonly string[]>();
const sent = new Set<string>();

function smsOf(to: string, turn: Turn): string {
  const titles = optionsOf(turn).map(({ title }) => title);
  if (titles.length > 0) menus.set(to, titles);
  const body = turn.text?.body ?? turn.interactive?.body?.text ?? 'This message cannot be shown as an SMS.';
  return [body, ...titles.map((title, index) => `${index + 1} ${title}`)].join('\n');
}

async function send(to: string, text: string): Promise<boolean> {
  if (!gateway) console.log(`SMS to ${to}: ${text.replaceAll('\n', ' / ')}`);
  if (!gateway) return true;
  const response = await fetch(gateway, { method: 'POST', body: new URLSearchParams({ to, text }) }).catch(() => undefined);
  return response?.ok ?? false;
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    if (request.url === '/inbound') {
      const { from = '', text = '' } = Object.fromEntries(new URLSearchParams(await textFrom(request)));
      const chosen = menus.get(from)?.[Number(text) - 1];
      await post('messages', inboundOf({ from, text: chosen ?? text }, { id: randomUUID(), timestamp: now() }));
      return answer(200, {});
    }
    const body = await buffer(request);
    if (!secret || !verifySignature(secret, body, String(request.headers['x-svc-hook-signature']))) return answer(401, {});
    const [id, { to, turn }] = [String(request.headers['x-svc-hook-delivery']), messageIn(body)];
    if (!turn) return answer(400, { error: 'this is not a message to a contact' });
    noteQuestion(id, to, turn);
    answer(200, { messages: [{ id }] });
    if (sent.size === sent.add(`${id} ${request.headers['x-svc-hook-run']}`).size) return; // Repeated. A redelivery is another run.
    await report(id, to, (await send(to, smsOf(to, turn))) ? 'sent' : 'failed');
  } catch (error) {
    console.error(`sms gateway: ${error}`);
    if (!response.headersSent) answer(500, {});
  }
});

server.listen(Number(PORT), '127.0.0.1', () => console.log(`SMS gateway on http://127.0.0.1:${(server.address() as AddressInfo).port}`));
