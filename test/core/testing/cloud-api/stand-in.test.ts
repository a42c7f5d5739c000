import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { type CloudApiStandIn, cloudApiStandIn, ManualClock } from '#core/testing';
import { escapedJson, signatureOf } from '../../../../core/testing/cloud-api/webhooks.js';

interface Body {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the webhook
  readonly entry: readonly { readonly id: string; readonly changes: readonly { readonly field: string; readonly value: any }[] }[];
}

const ADA = '16505551234';

/** A stand-in on a port with a manual clock, a client of it, and a callback that records what it receives. */
async function start(t: Tap.Test, options: Parameters<typeof cloudApiStandIn>[0] = {}) {
  const clock = new ManualClock();
  const standIn = await cloudApiStandIn({ clock, ...options });
  const calls: { url: string; headers: Record<string, unknown>; bytes: Buffer }[] = [];
  const answer = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { searchParams } = new URL(request.url!, 'http://localhost');
    if (request.method === 'GET') return void response.end(searchParams.get('hub.challenge'));
    calls.push({ url: request.url!, headers: request.headers, bytes: Buffer.concat(chunks) });
    response.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    await standIn.stop();
    server.closeAllConnections();
    server.close();
  });
  t.equal(await standIn.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`), true);
  const values = () =>
    calls.flatMap(({ bytes }) => (JSON.parse(bytes.toString()) as Body).entry.flatMap(({ changes }) => changes.map(({ value }) => value)));
  return { clock, standIn, calls, values, answer, ...clientOf(standIn) };
}

function clientOf(standIn: CloudApiStandIn) {
  const [{ phoneNumberId }] = standIn.numbers as [{ phoneNumberId: string }];
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${standIn.url}/v25.0${path}`, {
      method,
      headers: { authorization: `Bearer ${standIn.accessToken}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
    return { status: response.status, text, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as any };
  };
  const send = (message: Record<string, unknown> = {}) =>
    call('POST', `/${phoneNumberId}/messages`, {
      messaging_product: 'whatsapp',
      to: ADA,
      type: 'text',
      ...(message.type === undefined && { text: { body: 'hello' } }),
      ...message,
    });
  return { call, send, phoneNumberId };
}

t.test('webhooks are escaped and signed as the network does it', async (t) => {
  const body = escapedJson({
    object: 'whatsapp_business_account',
    entry: [{ id: '222', changes: [{ value: { t: 'äöå 😀 1/2' }, field: 'messages' }] }],
  });
  t.equal(body.length, 147);
  t.equal(signatureOf('posthorn-app-secret', body), 'sha256=5416c187c7dc2725df634c2bd0d44efecbd61f7c423a5b714eaad08fb8cc645b');
});

t.test('a text in an open window is accepted, then sent and delivered', async (t) => {
  const { standIn, clock, send, values, calls } = await start(t);
  const inbound = await standIn.write(ADA, 'hi ä😀');
  const secret = standIn.appSecret;
  t.equal(calls[0]!.headers['x-hub-signature-256'], `sha256=${createHmac('sha256', secret).update(calls[0]!.bytes).digest('hex')}`);
  t.match(values()[0], { contacts: [{ wa_id: ADA }], messages: [{ id: inbound, from: ADA, type: 'text', text: { body: 'hi ä😀' } }] });
  const answer = await send({ biz_opaque_callback_data: 'ours' });
  t.equal(answer.status, 200);
  const { id } = answer.body.messages[0];
  t.strictSame(answer.body.contacts, [{ input: ADA, wa_id: ADA }]);
  await clock.advance(1_000);
  t.match(values().slice(1), [
    { statuses: [{ id, status: 'sent', recipient_id: ADA, biz_opaque_callback_data: 'ours' }] },
    { statuses: [{ id, status: 'delivered' }] },
  ]);
  t.match(standIn.sent, [{ id, statuses: ['sent', 'delivered'] }]);
  await standIn.status(id, 'read');
  t.equal(values().at(-1).statuses[0].status, 'read');
});

t.test('media are uploaded, looked up, and downloaded with the token only, for five minutes', async (t) => {
  const { standIn, clock, call, phoneNumberId } = await start(t);
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' }));
  const authorization = { authorization: `Bearer ${standIn.accessToken}` };
  const uploaded = await fetch(`${standIn.url}/v25.0/${phoneNumberId}/media`, { method: 'POST', headers: authorization, body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const { body } = await call('GET', `/${id}`);
  t.match(body, { id, mime_type: 'image/png', file_size: 3, sha256: /^[0-9a-f]{64}$/ });
  t.equal((await fetch(body.url)).status, 401);
  const download = await fetch(body.url, { headers: authorization });
  t.strictSame([...new Uint8Array(await download.arrayBuffer())], [1, 2, 3]);
  await clock.advance(5 * 60_000);
  t.equal((await fetch(body.url, { headers: authorization })).status, 404);
});
