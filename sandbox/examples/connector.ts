/**
 * A complete channel connector, in a process of its own and with nothing but Node: it takes messages from the platform on
 * its webhook, checks their signature, answers with its own message id and reports statuses; and it passes on what its
 * contacts write. Its "phone" is an HTTP endpoint: POST /phone {"from","text"}.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

/** Where the platform is and what the channel was given when it was created; from the parent process or the environment. */
interface Channel {
  api: string;
  number: string;
  token: string;
  secret: string;
}
const { POSTHORN_API, POSTHORN_NUMBER, POSTHORN_TOKEN, POSTHORN_SECRET, PORT = '0' } = process.env;
let channel: Channel = {
  api: POSTHORN_API ?? '',
  number: POSTHORN_NUMBER ?? '',
  token: POSTHORN_TOKEN ?? '',
  secret: POSTHORN_SECRET ?? '',
};
process.on('message', (message) => (channel = { ...channel, ...(message as Channel) }));
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the terminal; as somebody's child, the parent decides when to end.
if (process.send) process.on('SIGINT', () => {});

const now = () => String(Math.floor(Date.now() / 1000));

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  try {
    const body = await read(request);
    if (request.method !== 'POST') return answer(404, {});
    if (request.url === '/phone') return answer(200, await writeIn(JSON.parse(body.toString())));
    // The signature is over the bytes as they came: check it before parsing anything.
    if (!isSigned(body, request.headers['x-svc-hook-signature'])) return answer(401, { signature: 'rejected' });
    const id = randomUUID();
    answer(200, { messages: [{ id }], signature: 'ok' });
    await deliver(id, JSON.parse(body.toString()));
  } catch (error) {
    console.error(error);
    if (!response.headersSent) answer(500, { error: String(error) });
  }
});

function isSigned(body: Buffer, header: string | string[] | undefined): boolean {
  const right = createHmac('sha256', channel.secret).update(body).digest();
  const given = Buffer.from(String(header), 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Here a real connector would hand the turn to its own messaging service; then it reports what became of it. */
async function deliver(id: string, { to }: { to: string }): Promise<void> {
  for (const status of ['sent', 'delivered']) {
    await post('statuses', { status: { id, recipient_id: to, status, timestamp: now() } });
  }
}

/** What a contact writes goes to the platform as an inbound message. */
async function writeIn({ from, text }: { from: string; text: string }): Promise<{ id: string }> {
  const id = randomUUID();
  const message = { type: 'text', from, id, timestamp: now(), text: { body: text } };
  await post('messages', { contact: { id: from, profile: { name: 'Demo contact' } }, message });
  return { id };
}

async function post(what: 'messages' | 'statuses', body: object): Promise<void> {
  const response = await fetch(`${channel.api}/v1/numbers/${channel.number}/${what}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`;
  if (process.send) process.send({ url });
  else console.log(`connector on ${url}`);
});
