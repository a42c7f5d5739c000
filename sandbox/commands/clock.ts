import { type ClockMove, type ClockView, clockView, moveClock, type PendingTimer } from '../client/clock.js';
import { findRunFile } from '../client/run-file.js';
import { dateTime, numeric, readFlags, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { type Row, tableLines } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const DEFAULT_LIMIT = 20;
/** The titles of one output are below those of the next. */
const WHEN_WIDTH = 12;

const flags = {
  limit: numeric('N', `list: maximum number of timers (default ${DEFAULT_LIMIT})`, { from: 1, to: 500, integer: true }),
  json: toggle('print the response as one line of JSON'),
};

const verbs = ['now', 'pause', 'resume', 'advance', 'next', 'set', 'list'] as const;
type Verb = (typeof verbs)[number];

export const clock: Command = {
  summary: 'shows and moves the time of the sandbox',
  usage: 'clock now|pause|resume|advance DURATION|next|set DATE-TIME|list [flags]',
  examples: ['clock list', 'clock advance 17s', 'clock next'],
  notes: [
    'A DURATION has a unit: 17s, 5m, 2h, 30d, 500ms; without one it is in seconds. advance, next and set run',
    'everything that becomes due, in its order, and return when it has run. next advances to the next timer.',
    'A clock that is not paused follows real time from where it is. The clock never goes back.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [name = 'now', ...rest] = positionals;
    const verb = verbs.find((verb) => verb === name);
    if (!verb) throw new UsageError(`clock takes ${verbs.join(', ')}, not '${name}'`);
    const move = moveOf(verb, rest);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const view = move ? await moveClock(run, move) : await clockView(run, values.limit ?? DEFAULT_LIMIT);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...view }));
    else for (const line of linesOf(verb, view, terminal)) terminal.out(line);
    return exit.ok;
  },
};

/** @returns undefined for a verb that only reads @throws UsageError */
function moveOf(verb: Verb, rest: readonly string[]): ClockMove | undefined {
  const takesOne = verb === 'advance' || verb === 'set';
  const [value, ...others] = rest;
  if (takesOne && value === undefined)
    throw new UsageError(verb === 'set' ? 'set needs a time, such as 2027-03-01T08:00:00Z' : 'advance needs a duration, such as 17s');
  const extra = takesOne ? others : rest;
  if (extra.length > 0) throw new UsageError(`clock ${verb} does not take '${extra[0]}'`);
  if (verb === 'advance') return { advance: secondsIn(value!) };
  if (verb === 'set') return { set: momentIn(value!) };
  if (verb === 'next') return { next: true };
  return verb === 'pause' || verb === 'resume' ? { paused: verb === 'pause' } : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsIn(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (amount === undefined) throw new UsageError(`advance takes a duration such as 17s, 5m, 2h or 30d, not '${text}'`);
  return Number(amount) * UNITS[unit]!;
}

function momentIn(text: string): string {
  try {
    return dateTime('').read(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`set ${error.message}`) : error;
  }
}

function linesOf(verb: Verb, { now, paused, offset_ms: offset, timers, reached = [] }: ClockView, terminal: Terminal): string[] {
  const paint = painter(terminal.isColoured);
  const pace = paused
    ? 'paused'
    : Math.abs(offset) < 1_000
      ? 'follows real time'
      : `follows real time, ${span(offset)} ${offset > 0 ? 'ahead of' : 'behind'} this machine`;
  const isMove = verb === 'next' || verb === 'advance' || verb === 'set';
  const shown = verb === 'list' ? timers : timers.slice(0, 1);
  const rows = [
    ...(isMove ? reached : []).map((timer) => rowOf(timer, 'reached')),
    ...shown.map((timer) => rowOf(timer, `in ${span(Date.parse(timer.at) - Date.parse(now))}`)),
  ];
  const lines = [`${now}  ${paint('dim', pace)}`, ...tableLines(rows, terminal, '  ')];
  return shown.length === 0 ? [...lines, paint('dim', 'nothing is pending')] : lines;
}

const rowOf = ({ at, title }: PendingTimer, when: string): Row => [
  { text: at, short: at.slice(5, 19) },
  { text: when.padEnd(WHEN_WIDTH), style: 'dim' },
  title,
];

/** A duration in its two largest units: `2m 18s`. */
function span(ms: number): string {
  let rest = Math.max(0, Math.round(Math.abs(ms) / 1000));
  const parts = (['d', 'h', 'm', 's'] as const).flatMap((unit) => {
    const size = UNITS[unit]!;
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count}${unit}`] : [];
  });
  return parts.slice(0, 2).join(' ') || '0s';
}
