import { adminGet, openEvents, SandboxRefused, SandboxUnreachable } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { type Conversation, follow } from '../conversation/conversation.js';
import { type Phone, phoneFor, type Sender } from '../conversation/phone.js';
import { type PhoneMessage, phoneMessageOf, wordsOf } from '../conversation/phone-message.js';
import { printConversation } from '../reports/print-conversation.js';
import { isOn, numeric, readFlags, text, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const DEFAULT_FROM = '+27611111111';
const DEFAULT_WAIT_SECONDS = 10;

const flags = {
  from: text('ADDRESS', `who writes; each address is a contact of its own (default ${DEFAULT_FROM})`),
  name: text('NAME', "the contact's name (default Sam)"),
  number: text('NUMBER', "the number written to, by address or uuid (default the demo's channel)"),
  image: text('FILE', 'a picture; the text is its caption'),
  document: text('FILE', 'a document; the text is its caption'),
  audio: text('FILE', 'a sound'),
  voice: text('FILE', 'a voice message'),
  video: text('FILE', 'a film; the text is its caption'),
  sticker: text('FILE', 'a sticker, as .webp'),
  location: text('LAT,LONG', 'a place'),
  contact: text('NAME,PHONE', 'the card of somebody'),
  reaction: text('EMOJI', 'a reaction to the newest message or to that of --quote; none: taken back'),
  button: text('TITLE', 'taps a reply button'),
  list: text('TITLE', 'taps a row of a list'),
  flow: text('FILE', 'completes the newest form with the JSON object in a file'),
  quote: text('ID', 'what the message replies to: its id, or last'),
  wait: numeric('SECONDS', `how long to wait for what follows (default ${DEFAULT_WAIT_SECONDS})`, { from: 0.1, to: 3600, whole: false }),
  json: isOn('print what followed as one line of JSON'),
};

export const send: Command = {
  summary: 'writes to the demo as a contact, and shows what follows',
  usage: 'send [TEXT] [flags]',
  notes: [
    'What is written to a channel goes through the example connector.',
    'There, writing the title of an option taps it.',
    'Numbers of the network receive every kind, channels no place, card, reaction, voice message or form.',
    'Exit codes: 0 delivered, 1 something failed or is tried again later, 2 it cannot be sent like that,',
    '3 no sandbox, 5 no end in time.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const message = phoneMessageOf(values, words.join(' '));
    const { from = DEFAULT_FROM, name, quote, number, wait = DEFAULT_WAIT_SECONDS } = values;
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const phone = await phoneFor(run, number, message.kind);
    const conversation = await converse(run, { phone, message, sender: { from, name, quote } }, wait * 1000);
    if (values.json) terminal.out(JSON.stringify(conversation));
    else printConversation(conversation, message, terminal);
    for (const what of conversation.open) terminal.err(`posthorn: after ${wait} s, ${what}; npx posthorn tail shows what goes on`);
    return outcomeOf(conversation);
  },
};

interface Sent {
  readonly phone: Phone;
  readonly message: PhoneMessage;
  readonly sender: Sender;
}

/** Sends, and listens until nothing of this conversation is to come any more, or the time is up. */
async function converse(run: RunFile, { phone, message, sender }: Sent, limitMs: number): Promise<Conversation> {
  const limit = AbortSignal.timeout(limitMs);
  const done = new AbortController();
  const said = { from: sender.from, text: wordsOf(message) };
  let talk = follow({ ...said, id: '' });
  try {
    // Listening comes first, so that nothing is missed.
    const events = await openEvents(run, { signal: AbortSignal.any([limit, done.signal]) });
    talk = follow({ ...said, id: await phone.write(message, sender, limit) });
    for await (const event of events) {
      talk.note(event);
      if (talk.open().length === 0 && (await isWhole(run, talk))) return talk.result();
    }
  } catch (error) {
    if (error instanceof SandboxRefused && error.status < 500) throw new UsageError(error.reason);
    if (!limit.aborted) throw error;
    return talk.result();
  } finally {
    done.abort();
  }
  throw new SandboxUnreachable('the sandbox stopped meanwhile');
}

/** What happens at one moment comes as several events. Whether some of them are still on their way is seen from the deliveries. */
async function isWhole(run: RunFile, talk: ReturnType<typeof follow>): Promise<boolean> {
  const lists = await Promise.all(talk.messages().map((uuid) => adminGet(run, `/deliveries?message=${uuid}`)));
  return lists.every((list) => (list as { deliveries: { uuid: string }[] }).deliveries.every(({ uuid }) => talk.knows(uuid)));
}

function outcomeOf({ open, deliveries, journey }: Conversation): number {
  if (open.length > 0) return exit.timeout;
  return deliveries.every(({ state }) => state === 'delivered') && !journey?.failure ? exit.ok : exit.failed;
}
