/** A channel connector: it receives messages to contacts, and posts messages of contacts and statuses. See README.md. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { start } from './start.js';

const { POSTHORN_API, POSTHORN_NUMBER, POSTHORN_TOKEN, POSTHORN_SECRET = '' } = process.env;

type Option = { readonly id: string; readonly title: string };
// biome-ignore lint/suspicious/noExplicitAny: a payload has many shapes, see the API reference
type Payload = any;

/** The last question to each contact. */
const questions = new Map<string, { id: string; kind: string; options: readonly Option[] }>();
/** The runs of deliveries that were passed on. A redelivery is another run. */
const sent = new Set<string>();

/** The signature covers the raw bytes: verify it before parsing. */
export function isSigned(body: Buffer, signature: string | undefined, secret = POSTHORN_SECRET): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('base64'));
  const given = Buffer.from(signature ?? '');
  return secret !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

/** Every kind of message as plain text. Options have numbers, because a contact without buttons answers with one. */
export function textOf({ type, text, template, interactive, ...media }: Payload): string {
  if (type === 'text') return text.body;
  const { components = [], name } = template ?? {};
  if (template) return components.flatMap(({ parameters }: Payload) => parameters.map(({ text }: Payload) => text)).join(' ') || name;
  if (interactive) return [interactive.body.text, ...optionsOf(interactive).map(({ title }, i) => `${i + 1}. ${title}`)].join('\n');
  return [media[type]?.caption, media[type]?.link].filter(Boolean).join('\n');
}

function optionsOf({ action = {} }: Payload): Option[] {
  const { buttons = [], sections = [] } = action;
  return [...buttons.map(({ reply }: Payload) => reply), ...sections.flatMap(({ rows }: Payload) => rows)];
}

async function post(what: 'messages' | 'statuses', body: object): Promise<void> {
  const url = `${POSTHORN_API}/v1/numbers/${POSTHORN_NUMBER}/${what}`;
  const headers = { authorization: `Bearer ${POSTHORN_TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${what} got ${response.status} ${await response.text()}`);
}

const now = () => String(Math.floor(Date.now() / 1000));
const report = (id: string, to: string, status: string) => post('statuses', { status: { id, recipient_id: to, status, timestamp: now() } });

/** Passes a message to the contact. Replace the body by a call of your messaging service. */
async function deliver(id: string, { to, turn }: Payload): Promise<void> {
  const options = turn.interactive ? optionsOf(turn.interactive) : [];
  if (options.length > 0) questions.set(to, { id, kind: `${turn.interactive.type}_reply`, options });
  console.log(`to ${to}: ${textOf(turn)}`);
  for (const status of ['sent', 'delivered']) await report(id, to, status);
}

/** A contact acts: your messaging service calls this, and `posthorn conform --drive`. */
async function act({ from, text, tap, quote, message, status, id }: Payload): Promise<void> {
  if (status) return report(id, from, status);
  const question = questions.get(from);
  const option = question?.options.find(({ title }) => title === tap);
  const interactive = question && option && { type: question.kind, [question.kind]: { id: option.id, title: option.title } };
  const content = interactive ? { type: 'interactive', interactive } : (message ?? { type: 'text', text: { body: text ?? tap } });
  const context = interactive ? { id: question?.id } : quote && { id: quote };
  const inbound = { from, id: randomUUID(), timestamp: now(), ...content, ...(context && { context }) };
  await post('messages', { contact: { id: from, profile: { name: from } }, message: inbound });
}

export const server = createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json');
  const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
  const body = await buffer(request);
  if (request.url !== '/phone' && !isSigned(body, request.headers['x-svc-hook-signature'] as string))
    return answer(401, { error: 'signature' });
  const payload: Payload = await new Response(body.toString()).json().catch(() => undefined);
  if (request.url === '/phone') {
    const error = await act(payload).catch(({ message }) => message);
    return answer(error ? 502 : 200, { error });
  }
  // A retry would bring the same body, so refuse it with a 4XX, which cancels retries.
  if (typeof payload?.turn !== 'object') return answer(400, { error: 'this is not a message' });
  const id = String(request.headers['x-svc-hook-delivery']); // The same in every attempt of a delivery.
  answer(200, { messages: [{ id }] });
  if (sent.size === sent.add(`${id} ${request.headers['x-svc-hook-run']}`).size) return;
  return deliver(id, payload).catch((error) => console.error(`connector: ${error.message}`));
});

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename)
  start('connector', server, ['POSTHORN_API', 'POSTHORN_NUMBER', 'POSTHORN_TOKEN', 'POSTHORN_SECRET']);
