import { adminGet, openEvents, SandboxRefused, SandboxUnreachable } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { type ContactMessage, contactMessageOf, summaryOf } from '../conversation/contact-message.js';
import { type Conversation, follow } from '../conversation/conversation.js';
import { type Phone, phoneFor, type Sender } from '../conversation/phone.js';
import { printConversation } from '../reports/print-conversation.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { numeric, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const DEFAULT_FROM = '+27611111111';
const DEFAULT_WAIT_SECONDS = 10;
/** How long an application may take to reply over the API, after its webhook has accepted the message. */
const REPLY_WITHIN_MS = 1_500;

const flags = {
  from: text('ADDRESS', `the sender; each address is its own contact (default ${DEFAULT_FROM})`),
  name: text('NAME', "the contact's name (default Sam)"),
  number: text('NUMBER', "the recipient, by address or uuid (default: the demo's channel)"),
  image: text('FILE', 'send an image; TEXT is its caption'),
  document: text('FILE', 'send a document; TEXT is its caption'),
  audio: text('FILE', 'send an audio file'),
  voice: text('FILE', 'send a voice message'),
  video: text('FILE', 'send a video; TEXT is its caption'),
  sticker: text('FILE', 'send a sticker (.webp)'),
  location: text('LAT,LONG', 'send a location; TEXT is its name'),
  contact: text('NAME,PHONE', 'send a contact card'),
  reaction: text('EMOJI', 'react to the newest message or that in --quote; `none` removes it'),
  button: text('TITLE', 'tap a reply button; --quote names its message'),
  list: text('TITLE', 'tap a row of a list, likewise'),
  flow: text('FILE', 'complete the newest form with the JSON object in FILE'),
  quote: text('ID', 'reply to the message with this id; `last` is the newest message'),
  wait: numeric('SECONDS', `how long to wait for replies and deliveries (default ${DEFAULT_WAIT_SECONDS})`, {
    from: 0.1,
    to: 3600,
    integer: false,
  }),
  json: toggle('print the result as one line of JSON'),
};

export const send: Command = {
  summary: 'sends a message as a contact, and shows replies and deliveries',
  usage: 'send [TEXT] [flags]',
  examples: ['send "hi"', 'send --image photo.png "my meter"', 'send "Opening hours" --from +27622222222'],
  notes: [
    "Messages to the demo's channel go through the example connector. It treats a TEXT that equals the",
    'title of an option as a tap on that option. Messages to other channels are posted as their',
    'connectors post them. Network numbers receive all types of messages. Channels receive no',
    'locations, contact cards, reactions, voice messages or completed forms.',
    'If no journey replies, send waits up to 1.5 s for a reply of the application behind a webhook.',
    'Exit codes: 0 delivered, 1 a delivery failed or will be retried, 2 wrong usage, 3 no sandbox,',
    '5 not finished in time.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const message = contactMessageOf(values, positionals.join(' '));
    const { from = DEFAULT_FROM, name, quote, number, wait = DEFAULT_WAIT_SECONDS } = values;
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const phone = await phoneFor(run, number, message.kind);
    const conversation = await converse(run, { phone, message, sender: { from, name, quote } }, wait * 1000);
    const isComplete = conversation.open.length === 0;
    if (!values.json) printConversation(conversation, message, terminal);
    else if (isComplete) terminal.out(JSON.stringify({ v: 1, ...conversation }));
    if (isComplete) return outcomeOf(conversation);
    throw new CommandFailed(`after ${wait} s ${conversation.open.join('; ')}`, {
      code: 'timeout',
      next: 'npx posthorn tail',
      exit: exit.timeout,
      result: conversation,
    });
  },
};

interface SendRequest {
  readonly phone: Phone;
  readonly message: ContactMessage;
  readonly sender: Sender;
}

/**
 * Sends the message, then follows events until the journey's turn and all deliveries have ended, or `limitMs` has passed. Without a
 * journey, the reply of an application is waited for, too.
 */
async function converse(run: RunFile, { phone, message, sender }: SendRequest, limitMs: number): Promise<Conversation> {
  const limit = AbortSignal.timeout(limitMs);
  const done = new AbortController();
  let quiet: NodeJS.Timeout | undefined;
  const sent = { from: sender.from, text: summaryOf(message) };
  let talk = follow({ ...sent, id: '' });
  try {
    // Opened before the message is sent, so that no event is missed.
    const events = await openEvents(run, { signal: AbortSignal.any([limit, done.signal]) });
    talk = follow({ ...sent, id: await phone.write(message, sender, limit) });
    for await (const event of events) {
      talk.note(event);
      if (!talk.mayBeAnswered()) clearTimeout(quiet);
      if (talk.unfinished().length > 0 || !(await isComplete(run, talk))) continue;
      if (!talk.mayBeAnswered()) return talk.result();
      quiet ??= setTimeout(() => done.abort(), REPLY_WITHIN_MS);
    }
    // An aborted stream may also end without an error.
    if (limit.aborted || done.signal.aborted) return talk.result();
  } catch (error) {
    if (error instanceof SandboxRefused && error.status < 500) throw new UsageError(error.reason);
    if (!limit.aborted && !done.signal.aborted) throw error;
    return talk.result();
  } finally {
    clearTimeout(quiet);
    done.abort();
  }
  throw new SandboxUnreachable('the sandbox stopped before the conversation ended');
}

/** Whether the events of all stored deliveries have arrived. Events of one transaction arrive one by one, so `talk` may not know the last ones yet. */
async function isComplete(run: RunFile, talk: ReturnType<typeof follow>): Promise<boolean> {
  const lists = await Promise.all(talk.messages().map((uuid) => adminGet(run, `/deliveries?message=${uuid}`)));
  return lists.every((list) => (list as { deliveries: { uuid: string }[] }).deliveries.every(({ uuid }) => talk.knows(uuid)));
}

function outcomeOf({ deliveries, journey }: Conversation): number {
  return deliveries.every(({ state }) => state === 'delivered') && !journey?.failure ? exit.ok : exit.failed;
}
