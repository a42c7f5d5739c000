import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { optionsOf, textOf } from '../../core/events/message-text.js';
import { openEvents, SandboxRefused, type StreamEvent } from '../client/admin-client.js';
import { requireRun } from '../client/run-file.js';
import { type ContactMessage, contactMessageOf } from '../conversation/contact-message.js';
import { phoneFor } from '../conversation/phone.js';
import { escapeControls } from '../terminal/escape.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const DEFAULT_FROM = '+27611111111';
/** When the input ends, the replies to the last message have this long to arrive. */
const LAST_REPLIES_MS = 3_000;

const flags = {
  from: text('ADDRESS', `the contact (default ${DEFAULT_FROM})`),
  name: text('NAME', "the contact's name (default Sam)"),
  number: text('NUMBER', "the recipient, by address or uuid (default: the demo's channel)"),
  json: toggle('print every message as one line of JSON'),
};

const COMMANDS = ['/1', '/image FILE', '/document FILE', '/location LAT,LONG', '/reaction EMOJI', '/quit'];

export const chat: Command = {
  summary: 'is a phone in the terminal: sends what you type, and shows what arrives',
  usage: 'chat [flags]',
  examples: ['chat', 'chat --from +27622222222 --name Ann'],
  notes: [
    `Every line is a message. Lines that begin with / are commands: ${COMMANDS.join(', ')}.`,
    '/1 taps the first option of the newest message. From a pipe, each line is sent when the previous one was received.',
    'Exit codes: 0 ended, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0)
      throw new UsageError(`chat takes flags only; to send one message: npx posthorn send ${JSON.stringify(positionals[0])}`);
    const run = requireRun(terminal.cwd);
    const { from = DEFAULT_FROM, name } = values;
    await phoneFor(run, values.number, 'text');
    const stop = new AbortController();
    const screen = screenOf(from, values.json === true, terminal);
    // Opened before the first message, so that no reply is missed.
    const events = await openEvents(run, { signal: stop.signal });
    const following = (async () => {
      for await (const event of events) screen.show(event);
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const isTyped = process.stdin.isTTY === true;
    const lines = createInterface({ input: process.stdin, ...(isTyped && { output: process.stderr, prompt: '' }) });
    if (isTyped) terminal.err(`Chatting as ${from} until Ctrl-C. Commands: ${COMMANDS.join(', ')}`);
    lines.on('SIGINT', () => lines.close());
    try {
      for await (const line of lines) {
        if (line.trim() === '') continue;
        if (line.trim() === '/quit') break;
        try {
          const message = messageIn(line.trim(), screen.options());
          const phone = await phoneFor(run, values.number, message.kind);
          if (!isTyped && !values.json) terminal.out(`  ▶ ${escapeControls(line.trim())}`);
          const before = screen.count();
          await phone.write(message, { from, name, quote: undefined }, stop.signal);
          if (!isTyped) await until(() => screen.count() > before && screen.isAccepted(), LAST_REPLIES_MS);
        } catch (error) {
          if (!(error instanceof UsageError) && !(error instanceof SandboxRefused)) throw error;
          terminal.err(`posthorn: ${error instanceof SandboxRefused ? error.reason : error.message}`);
        }
      }
    } finally {
      lines.close();
      stop.abort();
      await following;
    }
    return exit.ok;
  },
};

/** Turns a typed line into a message. @throws UsageError for a command that does not exist */
function messageIn(line: string, options: readonly Option[]): ContactMessage {
  const [, command, argument = ''] = /^\/(\w+)\s*(.*)$/s.exec(line) ?? [];
  if (command === undefined) return { kind: 'text', text: line };
  if (/^\d+$/.test(command)) {
    const option = options[Number(command) - 1];
    if (!option)
      throw new UsageError(
        options.length === 0 ? 'the newest message has no options' : `there is no option ${command}; there are ${options.length}`,
      );
    return option;
  }
  if (['image', 'document', 'audio', 'voice', 'video', 'sticker', 'location', 'contact', 'reaction'].includes(command))
    return contactMessageOf({ [command]: argument }, '');
  throw new UsageError(`unknown command /${command}; commands: ${COMMANDS.join(', ')}`);
}

type Option = Extract<ContactMessage, { kind: 'button' | 'list' }>;

/** Prints the messages to the contact and remembers the options of the newest. */
function screenOf(from: string, isJson: boolean, { out, isColoured }: Terminal) {
  const paint = painter(isColoured);
  let options: readonly Option[] = [];
  let count = 0;
  const underway = new Set<string>();
  return {
    options: () => options,
    count: () => count,
    /** Whether connectors have accepted all messages, so that their options can be tapped. */
    isAccepted: () => underway.size === 0,
    show({ name, data }: StreamEvent): void {
      if (name === 'message.accepted' || name === 'message.undeliverable') underway.delete(data.message.uuid);
      if (name !== 'message.queued' || data.message.to !== from) return;
      const { type, content } = data.message;
      count++;
      underway.add(data.message.uuid);
      const kind = content.interactive?.type === 'list' ? ('list' as const) : ('button' as const);
      options = optionsOf(content).map((title) => ({ kind, title }));
      if (isJson) {
        out(JSON.stringify({ v: 1, message: data.message }));
        return;
      }
      const [first = '', ...rest] = textOf({ type, content }).split('\n').map(escapeControls);
      out(`  ◀ ${first}`);
      for (const line of rest) out(`    ${line}`);
      for (const [i, { title }] of options.entries()) out(`    ${paint('cyan', `/${i + 1}`)} ${escapeControls(title)}`);
    },
  };
}

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  for (const end = performance.now() + limitMs; !holds() && performance.now() < end; ) await sleep(10);
}
