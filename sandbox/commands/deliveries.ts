import { adminGet, adminSend } from '../client/admin-client.js';
import { type Delivery, type DeliveryDetails, listDeliveries, requireExisting } from '../client/deliveries.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { lineOf, printDelivery } from '../reports/delivery-report.js';
import { dateTime, numeric, oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const STATES = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;
const DEFAULT_LIMIT = 20;

const flags = {
  webhook: text('UUID', 'select deliveries to this webhook'),
  number: text('UUID', 'select deliveries of this number'),
  // The list of states is too long for the column of values.
  state: { ...oneOf(STATES, `select by state: ${STATES.join(', ')}`), takes: 'STATE' },
  reason: text('REASON', 'select by final reason, such as http_4xx or exhausted'),
  from: dateTime('select those queued at or after, such as 2027-03-01T08:00:00Z'),
  to: dateTime('select those queued before'),
  all: toggle('redeliver, cancel: take all of them'),
  limit: numeric('N', `how many at most (default ${DEFAULT_LIMIT} for ls, otherwise 100)`, { from: 1, to: 1000, integer: true }),
  json: toggle('print the response as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const deliveries: Command = {
  summary: 'lists, shows, redelivers and cancels deliveries to webhooks',
  usage: 'deliveries ls|show UUID|redeliver [UUID]|cancel [UUID] [flags]',
  notes: [
    'redeliver and cancel take one delivery, or those that the flags select, oldest first. Without',
    '--state, redeliver selects failed deliveries and cancel pending ones. Both print how many',
    'deliveries they changed, and whether more are left.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [verb = 'ls', uuid, ...others] = words;
    const command = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!command) throw new UsageError(`deliveries takes ${Object.keys(verbs).join(', ')}, not '${verb}'`);
    if (others.length > 0)
      throw new UsageError(`deliveries ${verb} takes one delivery; '${others[0]}' is too many. Select several with flags`);
    const check = { uuid, values };
    const problem = command.problem?.(check);
    if (problem) throw new UsageError(problem);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const answer = await command.ask(run, check);
    if (values.json) terminal.out(JSON.stringify(answer));
    else command.print(answer as never, terminal);
    return exit.ok;
  },
};

interface DeliveriesRequest {
  readonly uuid: string | undefined;
  readonly values: Values;
}

interface Verb<T> {
  problem?(request: DeliveriesRequest): string | undefined;
  ask(run: RunFile, request: DeliveriesRequest): Promise<T>;
  print(answer: T, terminal: Terminal): void;
}

const ls: Verb<{ deliveries: Delivery[] }> = {
  problem: ({ uuid }) => (uuid === undefined ? undefined : `ls takes flags only; to show one delivery: posthorn deliveries show ${uuid}`),
  async ask(run, { values }) {
    const deliveries = await listDeliveries(run, { ...values, limit: values.limit ?? DEFAULT_LIMIT });
    // Deliveries outlive their webhook, so only an empty list hints at a misspelt uuid.
    if (deliveries.length === 0) for (const kind of ['webhook', 'number'] as const) await requireExisting(run, kind, values[kind]);
    return { deliveries };
  },
  print({ deliveries }, terminal) {
    if (deliveries.length === 0) terminal.err('No deliveries.');
    for (const delivery of deliveries) terminal.out(lineOf(delivery, painter(terminal.isColoured)));
  },
};

const show: Verb<DeliveryDetails> = {
  problem: ({ uuid }) => (uuid === undefined ? 'show takes the uuid of a delivery; posthorn deliveries ls lists them' : undefined),
  ask: async (run, { uuid }) => (await adminGet(run, `/deliveries/${encodeURIComponent(uuid!)}`)) as never,
  print: printDelivery,
};

/** A verb for one delivery by its uuid, or for those that the flags select. */
const many = (verb: 'redeliver' | 'cancel', done: 'redelivered' | 'cancelled'): Verb<Record<string, unknown>> => ({
  problem({ uuid, values: { json: _json, limit: _limit, ...choice } }) {
    const hasFilter = Object.keys(choice).length > 0;
    if (uuid !== undefined && hasFilter) return `${verb} takes the uuid of a delivery or flags that select some, not both`;
    return uuid === undefined && !hasFilter ? `${verb} takes the uuid of a delivery, flags that select some, or --all` : undefined;
  },
  async ask(run, { uuid, values: { json: _json, all: _all, state, ...choice } }) {
    if (uuid !== undefined) return (await adminSend(run, 'POST', `/deliveries/${encodeURIComponent(uuid)}/${verb}`, {})) as never;
    return (await adminSend(run, 'POST', `/deliveries/${verb}`, { ...choice, ...(state !== undefined && { states: [state] }) })) as never;
  },
  print(answer, terminal) {
    if (answer.delivery) return terminal.out(lineOf(answer.delivery as Delivery, painter(terminal.isColoured)));
    terminal.out(`${answer[done]} ${done}${answer.more ? '; more are left, run the command again' : ''}`);
  },
});

// biome-ignore lint/suspicious/noExplicitAny: each verb prints its own type of response
const verbs: Readonly<Record<string, Verb<any>>> = {
  ls,
  show,
  redeliver: many('redeliver', 'redelivered'),
  cancel: many('cancel', 'cancelled'),
};
