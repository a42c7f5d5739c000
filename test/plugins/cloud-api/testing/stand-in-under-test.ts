import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock, type Tap } from '#core/testing';
import { type CloudApiStandIn, cloudApiStandIn } from '../../../../plugins/cloud-api/testing/index.js';

interface Body {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the webhook
  readonly entry: readonly { readonly id: string; readonly changes: readonly { readonly field: string; readonly value: any }[] }[];
}

/** A stand-in that does not answer fails a test after this, and not when the client loses patience after five minutes. */
const LIMIT_MS = 20_000;

export const ADA = '16505551234';
export const BOB = '16505554321';

/** A stand-in on a port with a manual clock, a client of it, and a callback that records what it receives. */
export async function startStandIn(t: Tap, options: Parameters<typeof cloudApiStandIn>[0] = {}) {
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
  const { phoneNumberId } = standIn.numbers[0]!;
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${standIn.url}/v25.0${path}`, {
      method,
      headers: { authorization: `Bearer ${standIn.accessToken}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(LIMIT_MS),
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
