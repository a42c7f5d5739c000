import { openEvents, type StreamEvent } from '../admin-client.js';
import { painter } from '../banner.js';
import { flagsOf, UsageError } from '../config.js';
import { findRunFile, type RunFile } from '../run-file.js';
import { bodyOf } from '../summary.js';
import { type Command, exit, notRunning, type Terminal } from './command.js';

const flags = {
  from: { type: 'string', help: 'who writes (default +27611111111)' },
  wait: { type: 'string', help: 'seconds to wait for the answer (default 10)' },
  json: { type: 'boolean', help: 'print the conversation as one JSON object' },
} as const;

/** After the last sign of life, how long nothing more may happen before the conversation is taken to rest. */
const QUIET_MS = 700;

export const send: Command = {
  summary: 'writes to the sandbox as a contact, through the example connector, and shows what follows',
  usage: 'posthorn send TEXT [flags]',
  flags,
  async run(argv, terminal) {
    const { values, words } = flagsOf(argv, flags);
    const text = words.join(' ');
    const waitSeconds = Number(values.wait ?? 10);
    if (text === '') throw new UsageError('say what to send: posthorn send "hi"');
    if (!(waitSeconds > 0)) throw new UsageError('--wait takes a number of seconds');
    const from = String(values.from ?? '+27611111111');
    const run = findRunFile(terminal.cwd);
    if (!run?.phone) {
      terminal.err(run ? 'The running sandbox has no example connector: start it with --seed demo' : notRunning);
      return exit.notRunning;
    }
    const talk = await talkTo(run, run.phone, { from, text }, waitSeconds * 1000);
    if (values.json) terminal.out(JSON.stringify(talk));
    else print(talk, terminal);
    if (!talk.isAtRest) {
      terminal.err(`No end after ${waitSeconds} s; follow what happens with: posthorn tail`);
      return exit.timeout;
    }
    return talk.deliveries.every((delivery) => delivery.state === 'delivered') ? exit.ok : exit.failed;
  },
};

interface Delivery {
  readonly uuid: string;
  readonly subscription: string;
  state: string;
  status?: number;
  ms?: number;
  signature?: string;
  error?: string;
}

interface Talk {
  readonly sent: { readonly from: string; readonly text: string; readonly id: string };
  readonly replies: { text: string; options: string[] }[];
  readonly deliveries: Delivery[];
  journey: { state: string; card: string } | null;
  isAtRest: boolean;
}

/** Sends, and listens to the event stream until nothing of this conversation is in the air any more. */
async function talkTo(run: RunFile, phone: string, { from, text }: { from: string; text: string }, limitMs: number): Promise<Talk> {
  const abort = new AbortController();
  const stream = await openEvents(run, { signal: abort.signal });
  const response = await fetch(phone, { method: 'POST', body: JSON.stringify({ from, text }) });
  if (!response.ok) throw new Error(`the connector could not pass it on: ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };

  const talk: Talk = { sent: { from, text, id }, replies: [], deliveries: [], journey: null, isAtRest: false };
  const limit = setTimeout(() => abort.abort(), limitMs);
  let quiet: NodeJS.Timeout | undefined;
  let conversation: string | undefined;
  let contact: string | undefined;
  try {
    for await (const event of stream) {
      if (event.name === 'message.received' && event.data.message.external_id === id) {
        conversation = event.data.conversation.uuid;
        contact = event.data.contact.uuid;
      }
      if (conversation === undefined || !isAbout(event, conversation, contact)) continue;
      note(talk, event);
      clearTimeout(quiet);
      if (!talk.deliveries.some(({ state }) => state === 'queued')) {
        quiet = setTimeout(() => {
          talk.isAtRest = true;
          abort.abort();
        }, QUIET_MS);
      }
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    clearTimeout(limit);
    clearTimeout(quiet);
    abort.abort();
  }
  return talk;
}

function isAbout({ name, data }: StreamEvent, conversation: string, contact: string | undefined): boolean {
  if (name.startsWith('delivery.')) return data.delivery.conversation === conversation;
  if (name === 'journey.turn_taken') return data.session.contact === contact;
  return data?.conversation?.uuid === conversation || data?.message?.conversation === conversation;
}

function note(talk: Talk, { name, data }: StreamEvent): void {
  const known = talk.deliveries.find(({ uuid }) => uuid === data.delivery?.uuid);
  if (name === 'message.queued') talk.replies.push({ text: bodyOf(data.message), options: optionsOf(data.message.content) });
  if (name === 'journey.turn_taken') talk.journey = { state: data.session.state, card: data.session.card };
  if (name === 'delivery.queued')
    talk.deliveries.push({ uuid: data.delivery.uuid, subscription: data.delivery.subscription, state: 'queued' });
  if (name === 'delivery.attempted' && known) {
    const { status, duration_ms, response, error } = data.attempt;
    Object.assign(known, {
      state: data.delivery.state,
      status,
      ms: Math.round(duration_ms),
      signature: signatureIn(response),
      ...(error && { error }),
    });
  }
  if (name === 'delivery.settled' && known) known.state = data.delivery.state;
}

/** The examples say in their answer whether the signature was right. */
function signatureIn(response: string | null): string {
  const said = /"signature":"(\w+)"/.exec(response ?? '')?.[1];
  return said ?? 'not checked';
}

interface Interactive {
  readonly action?: {
    readonly buttons?: readonly { readonly reply: { readonly title: string } }[];
    readonly sections?: readonly { readonly rows: readonly { readonly title: string }[] }[];
  };
}

function optionsOf(content: { readonly interactive?: Interactive }): string[] {
  const { buttons = [], sections = [] } = content.interactive?.action ?? {};
  return [...buttons.map(({ reply }) => reply.title), ...sections.flatMap(({ rows }) => rows.map(({ title }) => title))];
}

function print({ sent, replies, deliveries, journey }: Talk, terminal: Terminal): void {
  const paint = painter(terminal.isColoured);
  terminal.out(`  ▶ ${sent.from}  ${sent.text}`);
  for (const { text, options } of replies) {
    const [first, ...rest] = text.split(' ⏎ ');
    terminal.out(`  ◀ ${first}`);
    for (const line of rest) terminal.out(`    ${line}`);
    for (const option of options) terminal.out(`    ${paint('cyan', `[${option}]`)}`);
  }
  if (replies.length === 0) terminal.out(paint('dim', '  no reply: no journey is waiting for this contact or starts with this text'));
  for (const { subscription, state, status, ms, signature, error } of deliveries) {
    const isGood = state === 'delivered';
    const outcome = status === undefined ? state : `${status}  ${ms} ms  signature ${signature}`;
    terminal.out(
      `  ${paint('dim', 'delivery')}  ${subscription.padEnd(8)} ${paint(isGood ? 'green' : 'red', outcome)}${error ? `  ${error}` : ''}`,
    );
  }
  if (journey) terminal.out(`  ${paint('dim', 'journey')}   ${journey.state}${journey.card ? ` at ${journey.card}` : ''}`);
}
