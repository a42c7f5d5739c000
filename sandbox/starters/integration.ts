/** An integration: a panel with data and actions beside a conversation. See README.md. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { start } from './start.js';

const { POSTHORN_SECRET = '' } = process.env;
const version = '1.0.0-alpha';

/** Declares the parts of the panel, in their order. */
export const handshake = {
  version,
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: 'Customer', code: 'customer', type: 'table' },
      { title: 'Orders', code: 'orders', type: 'ordered-list' },
    ],
  },
};

interface Conversation {
  readonly chat: { readonly owner: string };
  readonly messages: readonly { readonly text?: { readonly body: string } }[];
}

/** The panel of a conversation. Look up the data of `chat.owner` here. */
export const update = ({ chat, messages }: Conversation) => ({
  version,
  context_objects: { customer: { Number: chat.owner, Messages: String(messages.length) }, orders: ['A book', 'A *signed* print'] },
  actions: { cancel: { description: 'Cancel the order', url: 'actions/cancel', payload: { order: 1 }, options: { first: 'A book' } } },
  suggested_responses: [{ type: 'TEXT', title: 'Thanks', body: 'Thank you for your order', confidence: 0.9 }],
});

/** The signature covers the raw bytes: verify it before parsing. */
export function isSigned(body: Buffer, signature: string | undefined, secret = POSTHORN_SECRET): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('base64'));
  const given = Buffer.from(signature ?? '');
  return secret !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

export const server = createServer(async (request, response) => {
  response.setHeader('content-type', 'application/json');
  const body = await buffer(request);
  if (!isSigned(body, request.headers['x-svc-hook-signature'] as string)) return response.writeHead(401).end('{}');
  const call = (await new Response(body.toString()).json().catch(() => undefined)) as { handshake?: boolean } & Partial<Conversation>;
  if (call?.handshake) return response.end(JSON.stringify(handshake));
  if (request.url === '/actions/cancel') {
    // Do what the action says here. With this header the platform loads the panel again.
    return response.setHeader('x-svc-integration-refresh', 'true').end('{}');
  }
  if (!call?.chat) return response.writeHead(400).end('{}');
  return response.end(JSON.stringify(update({ chat: call.chat, messages: call.messages ?? [] })));
});

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) start('integration', server, ['POSTHORN_SECRET']);
