import { readFilter } from '../../core/events/event-filter.js';
import type { StreamEvent } from '../client/admin-client.js';
import { followEvents } from '../client/follow-events.js';
import { findRunFile } from '../client/run-file.js';
import { summaryOf } from '../reports/summary.js';
import { readFlags, text, toggle } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { printTable, type Row } from '../terminal/table.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const NAME_WIDTH = 23;

const flags = {
  after: text('ID', 'start after the event with this id, as --json prints it'),
  json: toggle('print every event as one line of JSON'),
};

export const tail: Command = {
  summary: 'prints the events of the sandbox as they happen',
  usage: 'tail [TERM...] [flags]',
  examples: ['tail', 'tail delivery state:dropped', 'tail --json'],
  notes: [
    'TERM selects events, as on the page Events of the console:',
    '  delivery       events whose name begins with it; of several names any',
    '  state:failed   events with a field of this name, at any depth, whose value begins with this text',
    '  \'"no answer"\'  events that contain this text; quote it for the shell',
    'A minus before a term excludes what it selects:',
    '  npx posthorn tail -- delivery -state:delivered',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (!findRunFile(terminal.cwd)) throw new NoSandbox();
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const paint = painter(terminal.isColoured);
    const filter = readFilter(positionals.join(' '));
    const isWanted = (event: StreamEvent): boolean => event.name === 'gap' || filter.matches(event);

    const events = followEvents({
      after: values.after,
      signal: stop.signal,
      find: () => findRunFile(terminal.cwd),
      onOpen: ({ api }) => values.json || terminal.err(paint('dim', `Following ${api} until Ctrl-C.`)),
    });
    for await (const event of events) {
      if (!isWanted(event)) continue;
      if (values.json) terminal.out(JSON.stringify({ v: 1, ...event }));
      else printTable([rowOf(event)], terminal);
    }
    if (!stop.signal.aborted) terminal.err('The sandbox has stopped.');
    return exit.ok;
  },
};

/** Each row is a table of its own, so the name has the width of the longest one. */
const rowOf = (event: StreamEvent): Row => [
  { text: event.at.slice(11), style: 'dim' },
  { text: event.name.padEnd(NAME_WIDTH), style: 'cyan' },
  summaryOf(event),
];
