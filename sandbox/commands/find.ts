import { adminGet } from '../client/admin-client.js';
import { findRunFile } from '../client/run-file.js';
import { escapeControls } from '../terminal/escape.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  kinds: text('KINDS', 'only these kinds, such as message,contact'),
  limit: text('N', 'at most this many of each kind, 1 to 100 (default 10)'),
  before: text('PLACE', 'continue one kind, given in --kinds, at the place that the previous page has printed'),
  json: toggle('print the result as one line of JSON'),
};

interface Answer {
  readonly results: readonly {
    readonly kind: string;
    readonly id: string;
    readonly title: string;
    readonly text: string;
    readonly at: string;
  }[];
  readonly kinds: readonly { readonly kind: string; readonly looked_back_to: string | null; readonly next: string | null }[];
}

export const find: Command = {
  summary: 'finds records of every kind by words or an id',
  usage: 'find WORDS... [flags]',
  examples: ['find order 4711', 'find "not arrived" --kinds message', 'find 01936c2e-6d3f-7a10-8f5e-2a0c9d1b7e44'],
  notes: [
    'Finds contacts by id, name and alias, texts of messages, bodies of calls and deliveries, journeys, flows',
    'and webhooks. A record has all words, in any order; case and accents do not matter. A quoted phrase is',
    'one word. An id finds only its record. Of a kind with many records the newest are searched first; a line',
    'says how far back. Exit codes: 0 found, 1 nothing found, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length === 0) throw new UsageError('find takes words or an id');
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const { json, ...asked } = values;
    // An argument with a space was quoted in the shell.
    const q = positionals.map((word) => (/\s/.test(word) ? `"${word.replaceAll('"', '')}"` : word)).join(' ');
    const given = Object.entries({ q, ...asked }).filter(([, value]) => value !== undefined);
    const answer = (await adminGet(run, `/search?${new URLSearchParams(given as [string, string][])}`)) as Answer;
    const paint = painter(terminal.isColoured);
    if (json) terminal.out(JSON.stringify({ v: 1, ...answer }));
    else {
      for (const { kind, id, title, text, at } of answer.results) {
        terminal.out(`${paint('dim', at)} ${kind}  ${escapeControls(title)}  ${paint('dim', escapeControls(id))}`);
        if (text !== '') terminal.out(`    ${escapeControls(text)}`);
      }
      for (const { kind, looked_back_to: at, next } of answer.kinds) {
        if (at !== null)
          terminal.out(
            paint('dim', `  ${kind}: searched back to ${at}${next === null ? '' : `; older: --kinds ${kind} --before '${next}'`}`),
          );
      }
      if (answer.results.length === 0) terminal.out('  nothing found');
    }
    return answer.results.length === 0 ? exit.failed : exit.ok;
  },
};
