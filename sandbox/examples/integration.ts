/**
 * A service that shows something beside conversations, with nothing but Node: a table, a list, suggested replies, and two
 * actions; one refreshes the conversation at once, the other says later that it is done. What it knows is made up and lives
 * in its memory.
 *
 * The environment says:
 *   POSTHORN_API      where the platform is, such as http://127.0.0.1:4100
 *   POSTHORN_SECRET   hmac_secret of the integration
 *   POSTHORN_SERVICE  the word of the service in the names of headers; Svc if not given
 *   PORT              where to listen; any free port if not given. The integration's URL is this address.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { env } = process;
const DAY_MS = 86_400_000;
/** Headers as the platform names them: of its signature, and of a wish to be asked again. */
const header = (name: string): string => `x-${env.POSTHORN_SERVICE ?? 'svc'}-${name}`.toLowerCase();
/** How long a reservation takes. */
const WORK_MS = 500;

interface Reader {
  due: Date;
  readonly waiting: string[];
}

/** Yours would be in a database. */
const readers = new Map<string, Reader>();

const readerAt = (address: string): Reader => {
  const reader = readers.get(address) ?? { due: new Date(Date.now() + 3 * DAY_MS), waiting: ['Paddle Your Own Canoe'] };
  readers.set(address, reader);
  return reader;
};

interface Click {
  readonly address: string;
  readonly integration_uuid: string;
  readonly integration_action_uuid: string;
  readonly option?: string;
  readonly payload: { readonly title?: string };
}

const server = createServer(async (request, response) => {
  const answer = (body: object, headers: Record<string, string> = {}, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    // Every call is signed, the first one too: check the bytes as they came, before parsing them.
    if (!isSigned(body, request.headers[header('hook-signature')])) return answer({ error: 'the signature is wrong' }, {}, 401);
    const call = JSON.parse(body.toString());
    if (call.handshake) return answer(handshake);
    if (request.url === '/actions/extend') {
      extend(call);
      // The conversation is loaded again as soon as this answer is there.
      return answer({}, { [header('integration-refresh')]: 'true' });
    }
    if (request.url === '/actions/reserve') {
      answer({});
      return await reserve(call);
    }
    answer(update(call));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    console.error(`integration: ${problem}`);
    if (!response.headersSent) answer({ error: problem }, {}, 500);
  }
});

function isSigned(body: Buffer, signature: string | string[] | undefined): boolean {
  if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
  const right = createHmac('sha256', env.POSTHORN_SECRET).update(body).digest();
  const given = Buffer.from(String(signature), 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
}

/** What we offer; the order of the objects is the order on screen, and their codes are the keys of every update. */
const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: 'Loan', code: 'loan', type: 'table' },
      { title: 'Waiting list', code: 'waiting', type: 'ordered-list' },
    ],
  },
};

/** What is shown beside the conversation that somebody looks at. Messages come newest first. */
function update({ chat, messages }: { chat: { owner: string }; messages: { text?: { body: string } }[] }) {
  const { due, waiting } = readerAt(chat.owner);
  const asked = messages.find(({ text }) => text)?.text?.body ?? '';
  const day = due.toISOString().slice(0, 10);
  return {
    version: '1.0.0-alpha',
    context_objects: {
      loan: { Book: '*The Compleat Angler*', 'Due on': day, Rules: '[How to extend](https://library.example/extend)' },
      waiting: waiting.length > 0 ? waiting : ['Nothing'],
    },
    actions: {
      extend: { description: 'Extend the loan', url: '/actions/extend', payload: {}, options: { week: 'By a week', month: 'By a month' } },
      reserve: { description: 'Reserve the next one', url: 'actions/reserve', payload: { title: 'The Sea Around Us' } },
    },
    suggested_responses: [
      { type: 'TEXT', title: 'Due date', body: `Your book is due on ${day}.`, confidence: /due|return|when/i.test(asked) ? 0.9 : 0.4 },
      { type: 'TEXT', title: 'Greeting', body: 'Hello! How can we help?', confidence: 0.5 },
    ],
  };
}

function extend({ address, option }: Click): void {
  const reader = readerAt(address);
  reader.due = new Date(reader.due.getTime() + (option === 'month' ? 30 : 7) * DAY_MS);
}

/** Work that takes a while: done later, and said then. */
async function reserve({ address, integration_uuid, integration_action_uuid, payload }: Click): Promise<void> {
  await sleep(WORK_MS);
  readerAt(address).waiting.push(payload.title ?? 'A book');
  const said = await fetch(`${env.POSTHORN_API}/api/integrations/${integration_uuid}/notify/finish`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ integration_action_uuid }),
  });
  if (!said.ok) throw new Error(`the platform answered ${said.status}: ${await said.text()}`);
}

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`integration on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
