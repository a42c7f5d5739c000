import { adminGet, adminSend } from '../client/admin-client.js';
import { type Delivery, listDeliveries, requireKnown, type ShownDelivery } from '../client/deliveries.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { lineOf, printDelivery } from '../reports/delivery-report.js';
import { dateTime, isOn, numeric, oneOf, readFlags, text, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const STATES = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;
const SHOWN = 20;

const flags = {
  webhook: text('UUID', 'only those of a webhook'),
  number: text('UUID', 'only those of a number'),
  // All of them where the value stands would leave no room for the help.
  state: { ...oneOf(STATES, `only those that are ${STATES.join(', ')}`), takes: 'STATE' },
  reason: text('REASON', 'only those that ended so, such as http_4xx or exhausted'),
  from: dateTime('only those queued then or later: 2027-03-01T08:00:00Z'),
  to: dateTime('only those queued before this moment'),
  all: isOn('redeliver or cancel without choosing'),
  limit: numeric('N', `at most so many (default ${SHOWN} for ls, else 100)`, { from: 1, to: 1000, whole: true }),
  json: isOn('print the answer as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const deliveries: Command = {
  summary: 'lists what was sent to webhooks, shows it, sends it again or gives it up',
  usage: 'deliveries ls|show UUID|redeliver [UUID]|cancel [UUID] [flags]',
  notes: [
    'redeliver and cancel are about one delivery, or about those the flags choose, the oldest first:',
    'redeliver about those that failed, cancel about those that wait, unless --state says otherwise.',
    'They say how many there were, and whether there are more.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [verb = 'ls', uuid, ...others] = words;
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!act) throw new UsageError(`deliveries knows ${Object.keys(verbs).join(', ')}, not '${verb}'`);
    if (others.length > 0) throw new UsageError(`'${others[0]}' is too much: one delivery at a time, or flags that choose some`);
    const check = { uuid, values };
    const problem = act.problem?.(check);
    if (problem) throw new UsageError(problem);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const answer = await act.ask(run, check);
    if (values.json) terminal.out(JSON.stringify(answer));
    else act.print(answer as never, terminal);
    return exit.ok;
  },
};

interface Asked {
  readonly uuid: string | undefined;
  readonly values: Values;
}

interface Verb<T> {
  problem?(asked: Asked): string | undefined;
  ask(run: RunFile, asked: Asked): Promise<T>;
  print(answer: T, terminal: Terminal): void;
}

const ls: Verb<{ deliveries: Delivery[] }> = {
  problem: ({ uuid }) => (uuid === undefined ? undefined : `ls takes flags only; posthorn deliveries show ${uuid} shows one`),
  async ask(run, { values }) {
    const deliveries = await listDeliveries(run, { ...values, limit: values.limit ?? SHOWN });
    // Deliveries outlive their webhook; only one without any may be misspelt.
    if (deliveries.length === 0) for (const kind of ['webhook', 'number'] as const) await requireKnown(run, kind, values[kind]);
    return { deliveries };
  },
  print({ deliveries }, terminal) {
    if (deliveries.length === 0) terminal.err('There are none.');
    for (const delivery of deliveries) terminal.out(lineOf(delivery, painter(terminal.isColoured)));
  },
};

const show: Verb<ShownDelivery> = {
  problem: ({ uuid }) => (uuid === undefined ? 'which one? posthorn deliveries ls lists them' : undefined),
  ask: async (run, { uuid }) => (await adminGet(run, `/deliveries/${encodeURIComponent(uuid!)}`)) as never,
  print: printDelivery,
};

/** One by its uuid, or those the flags choose. */
const many = (verb: 'redeliver' | 'cancel', done: 'redelivered' | 'cancelled'): Verb<Record<string, unknown>> => ({
  problem({ uuid, values: { json: _json, limit: _limit, ...choice } }) {
    const isChosen = Object.keys(choice).length > 0;
    if (uuid !== undefined && isChosen) return 'a delivery is named, so there is nothing to choose';
    return uuid === undefined && !isChosen ? `which ones? Name one, choose some with flags, or ${verb} --all` : undefined;
  },
  async ask(run, { uuid, values: { json: _json, all: _all, state, ...choice } }) {
    if (uuid !== undefined) return (await adminSend(run, 'POST', `/deliveries/${encodeURIComponent(uuid)}/${verb}`, {})) as never;
    return (await adminSend(run, 'POST', `/deliveries/${verb}`, { ...choice, ...(state !== undefined && { states: [state] }) })) as never;
  },
  print(answer, terminal) {
    if (answer.delivery) return terminal.out(lineOf(answer.delivery as Delivery, painter(terminal.isColoured)));
    terminal.out(`${answer[done]} ${done}${answer.more ? '; there are more, ask again' : ''}`);
  },
});

// biome-ignore lint/suspicious/noExplicitAny: each verb prints what it has asked for
const verbs: Readonly<Record<string, Verb<any>>> = {
  ls,
  show,
  redeliver: many('redeliver', 'redelivered'),
  cancel: many('cancel', 'cancelled'),
};
