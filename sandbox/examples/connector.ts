/**
 * A complete channel connector, with nothing but Node. It takes messages to contacts from the platform on its webhook, checks
 * that they are signed, names them, and reports what became of them; and it brings in what contacts write. Instead of a
 * messaging service it has a "phone": POST /phone {"from":"+27611111111","text":"hi"}. Instead of a text it takes the title
 * of an option as `tap`, and any other `message` as the interface has it: {"type":"image","image":{…}}.
 *
 * The environment says what the platform said when the channel was made:
 *   POSTHORN_API      where the platform is, such as http://127.0.0.1:4100
 *   POSTHORN_NUMBER   number.uuid
 *   POSTHORN_SECRET   webhook.hmac_secret
 *   POSTHORN_TOKEN    a token of the channel
 *   PORT              where to listen; any free port if not given. The channel's endpoint is this address.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { env } = process;

/** What the platform delivers, as far as we look at it. */
interface Payload {
  readonly to: string;
  readonly turn: { readonly interactive?: Interactive };
}

interface Interactive {
  readonly type: string;
  readonly action: {
    readonly buttons?: readonly { readonly reply: Option }[];
    readonly sections?: readonly { readonly rows: readonly Option[] }[];
  };
}

interface Option {
  readonly id: string;
  readonly title: string;
}

/** What each contact was asked last, with our id of the message that asked. */
const questions = new Map<string, { id: string; kind: 'button_reply' | 'list_reply'; options: readonly Option[] }>();

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  try {
    const body = await read(request);
    if (request.method !== 'POST') return answer(404, { error: 'only POST is understood here' });
    if (request.url === '/phone') {
      const letter: Letter = JSON.parse(body.toString());
      if (isAsked(letter)) return answer(200, await writeIn(letter));
      return answer(400, { error: `no question to ${letter.from} offers '${letter.tap}'` });
    }
    // The signature is over the bytes as they came: check it before parsing, and never over JSON that was written again.
    if (!isSigned(body, request.headers['x-svc-hook-signature'])) return answer(401, { signature: 'rejected' });
    const id = randomUUID();
    // Answer within five seconds, and do the work afterwards. The platform knows the message by this id from now on.
    answer(200, { messages: [{ id }], signature: 'ok' });
    await deliver(id, JSON.parse(body.toString()));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    console.error(`connector: ${problem}`);
    if (!response.headersSent) answer(500, { error: problem });
  }
});

function isSigned(body: Buffer, header: string | string[] | undefined): boolean {
  if (!env.POSTHORN_SECRET) throw new Error('POSTHORN_SECRET is not set');
  const right = createHmac('sha256', env.POSTHORN_SECRET).update(body).digest();
  const given = Buffer.from(String(header), 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Here a real connector hands the turn to its messaging service; then it reports what it hears of it. */
async function deliver(id: string, { to, turn: { interactive } }: Payload): Promise<void> {
  const { buttons = [], sections = [] } = interactive?.action ?? {};
  const options = [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows)];
  if (options.length > 0) questions.set(to, { id, kind: interactive?.type === 'list' ? 'list_reply' : 'button_reply', options });
  for (const status of ['sent', 'delivered']) {
    await post('statuses', { status: { id, recipient_id: to, status, timestamp: now() } });
  }
}

interface Letter {
  readonly from: string;
  readonly name?: string;
  readonly text?: string;
  readonly tap?: string;
  readonly message?: object;
  /** Our id of the message that it quotes. */
  readonly quote?: string;
}

/** Only an option of the last question can be tapped. */
const isAsked = ({ from, tap }: Letter): boolean =>
  tap === undefined || (questions.get(from)?.options.some(({ title }) => title === tap) ?? false);

/** What a contact writes goes to the platform as an inbound message. Writing the title of an option is tapping it. */
async function writeIn({ from, text, tap, message, quote, name = 'Sam' }: Letter): Promise<{ id: string }> {
  const id = randomUUID();
  const question = questions.get(from);
  const tapped = question?.options.find(({ title }) => title === (tap ?? text));
  const written = { ...(message ?? { type: 'text', text: { body: text } }), ...(quote !== undefined && { context: { id: quote } }) };
  const said =
    question && tapped && !message
      ? {
          type: 'interactive',
          // Says which of our messages it replies to: the id that we gave the platform when it delivered that message.
          context: { id: question.id },
          interactive: { type: question.kind, [question.kind]: { id: tapped.id, title: tapped.title } },
        }
      : written;
  await post('messages', { contact: { id: from, profile: { name } }, message: { from, id, timestamp: now(), ...said } });
  return { id };
}

/** Tries again while the platform does not answer: it may be starting. What it refuses, it would refuse again. */
async function post(what: 'messages' | 'statuses', body: object): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${env.POSTHORN_API}/v1/numbers/${env.POSTHORN_NUMBER}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.POSTHORN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch((error: Error) => error);
    if (response instanceof Response && response.ok) return;
    const problem = response instanceof Error ? response.message : `${response.status} ${await response.text()}`;
    const isFinal = response instanceof Response && response.status < 500;
    if (isFinal || attempt === 8) throw new Error(`the platform did not take ${what}: ${problem}`);
    await sleep(250 * 2 ** attempt);
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const now = (): string => String(Math.floor(Date.now() / 1000));

server.listen(Number(env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`connector on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
