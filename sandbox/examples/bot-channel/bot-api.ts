/**
 * A bot API with one contact, to try bot-channel.ts in a sandbox: it creates a number of the channel with a journey, writes "hi", taps the
 * first key of each message, and prints the conversation.
 * Environment variables: POSTHORN_API and POSTHORN_ADMIN_KEY (`npx posthorn env` prints them), and PORT (default: 4704).
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Key } from './bot-messages.js';

const { POSTHORN_API: api, POSTHORN_ADMIN_KEY: adminKey = '', PORT = '4704' } = process.env;
const chat = { id: 7, first_name: 'Ann' };
const JOURNEY = `card Menu, then: Menu do
  choice = buttons(Hours: "Opening hours") do
    text("What do you need?")
  end
end

card Hours do
  text("We are open from 9 to 5.")
end
`;

async function call(method: string, path: string, body: object, token = adminKey) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
  return (await response.json()) as { number: { uuid: string }; text: string };
}

let ids = 0;
let token: string;
const update = (body: object) => call('POST', '/v1/bot/updates', { update_id: ++ids, ...body }, token);

const server = createServer(async (request, response) => {
  const { text, reply_markup } = (await json(request)) as { text: string; reply_markup: { inline_keyboard: Key[][] } };
  const message_id = ++ids;
  response.end(JSON.stringify({ ok: true, result: { message_id } }));
  const [key] = reply_markup.inline_keyboard.flat();
  console.log(`< ${text}${key ? ` [${key.text}]` : ''}`);
  if (!key || ids > 4) return;
  console.log(`> ${key.text}`);
  await update({ callback_query: { id: String(ids), data: key.callback_data, message: { message_id, chat, reply_markup } } });
});
await once(server.listen(Number(PORT), '127.0.0.1'), 'listening');
console.log(`bot API on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const bot = { kind: 'channel', type: 'bot-channel', address: `bot:${randomUUID()}`, name: 'Café' };
const { number } = await call('POST', '/admin/v1/numbers', bot);
({ text: token } = await call('POST', `/admin/v1/numbers/${number.uuid}/tokens`, { name: 'bot API' }));
const journey = `/admin/v1/journeys/${randomUUID()}`;
await call('PUT', journey, { number: number.uuid, name: 'Café', notebook: JOURNEY, triggers: [{ on: 'catch_all' }] });
await call('POST', `${journey}/publish`, { revision: 'production' });
console.log('> hi');
await update({ message: { message_id: ++ids, chat, text: 'hi' } });
