import { adminGet, adminSend } from '../client/admin-client.js';
import { type KeptAdvice, listAdvice } from '../client/advice.js';
import { type Delivery, type DeliveryDetails, listDeliveries, requireExisting } from '../client/deliveries.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { printAdvice } from '../reports/advice-report.js';
import { printDeliveries, printDelivery } from '../reports/delivery-report.js';
import { dateTime, type Flag, numeric, oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { readInput } from '../terminal/input-files.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const STATES = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;
const DEFAULT_LIMIT = 20;

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** The end of a range of times, or the receiver of a redelivery. */
const urlOrTime = (help: string): Flag<string> => {
  const time = dateTime(help);
  return { takes: 'WHEN|URL', help, read: (given) => (isUrl(given) ? given : time.read(given)) };
};

const flags = {
  webhook: text('UUID', 'select deliveries to this webhook'),
  number: text('UUID', 'select deliveries of this number'),
  // The list of states is too long for the column of values.
  state: { ...oneOf(STATES, `select by state: ${STATES.join(', ')}`), takes: 'STATE' },
  reason: text('REASON', 'select by the reason why a delivery was cancelled or dropped, such as http_4xx'),
  from: dateTime('select deliveries queued at or after this time, for example 2027-03-01T08:00:00Z'),
  to: urlOrTime('select deliveries queued before this time; redeliver UUID: send to this URL'),
  all: toggle('redeliver, cancel: all deliveries; required without other filters'),
  limit: numeric('N', `maximum number of deliveries (default ${DEFAULT_LIMIT} for list, otherwise 100)`, {
    from: 1,
    to: 1000,
    integer: true,
  }),
  edit: text('FILE', 'redeliver: send the bytes of this file instead of the body; -: standard input'),
  'keep-signature': toggle('redeliver: send the signature of the original body'),
  times: numeric('N', 'redeliver: send it N times', { from: 1, to: 100, integer: true }),
  json: toggle('print the response as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const deliveries: Command = {
  summary: 'lists, shows, retries, redelivers and cancels deliveries to webhooks',
  usage: 'deliveries list|show UUID|retry UUID|redeliver [UUID]|cancel [UUID] [flags]',
  examples: ['deliveries list --state dropped', 'deliveries show UUID', 'deliveries redeliver UUID --to http://127.0.0.1:3000/'],
  notes: [
    'retry sends the scheduled retry of one delivery now; the next follows after its usual gap.',
    'redeliver and cancel act on the delivery with this UUID, or on the deliveries that the flags',
    'select, oldest first. Without --state, redeliver selects failed deliveries, and cancel selects',
    'pending deliveries. Both print how many deliveries they changed, and whether more remain.',
    '--edit, --to, --keep-signature and --times leave the delivery as it is and send copies of it,',
    'which only the records of the sandbox mark: the receiver gets no extra header.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [given = 'list', uuid, ...others] = positionals;
    const verb = given === 'ls' ? 'list' : given;
    const command = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!command) throw new UsageError(`deliveries takes ${Object.keys(verbs).join(', ')}, not '${verb}'`);
    if (others.length > 0)
      throw new UsageError(`deliveries ${verb} accepts one uuid, so '${others[0]}' is too many; select several deliveries with flags`);
    const request = { uuid, values, cwd: terminal.cwd };
    const problem = command.problem?.(request);
    if (problem) throw new UsageError(problem);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const response = await command.request(run, request);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...response }));
    else command.print(response as never, run, terminal);
    return exit.ok;
  },
};

interface DeliveriesRequest {
  readonly uuid: string | undefined;
  readonly values: Values;
  readonly cwd: string;
}

interface Verb<T> {
  problem?(request: DeliveriesRequest): string | undefined;
  request(run: RunFile, request: DeliveriesRequest): Promise<T>;
  print(response: T, run: RunFile, terminal: Terminal): void;
}

const list: Verb<{ deliveries: Delivery[] }> = {
  problem: ({ uuid, values }) =>
    values.to !== undefined && isUrl(values.to)
      ? '--to takes a time here; only redeliver UUID takes a URL'
      : uuid === undefined
        ? undefined
        : `list takes flags only; to show one delivery: npx posthorn deliveries show ${uuid}`,
  async request(run, { values }) {
    const deliveries = await listDeliveries(run, { ...values, limit: values.limit ?? DEFAULT_LIMIT });
    // Deliveries outlive their webhook, so only an empty list hints at a misspelt uuid.
    if (deliveries.length === 0) for (const kind of ['webhook', 'number'] as const) await requireExisting(run, kind, values[kind]);
    return { deliveries };
  },
  print({ deliveries }, run, terminal) {
    if (deliveries.length === 0) terminal.err('No deliveries.');
    printDeliveries(deliveries, run, terminal);
  },
};

const show: Verb<DeliveryDetails & { readonly advice: readonly KeptAdvice[] }> = {
  problem: ({ uuid }) => (uuid === undefined ? 'show needs the uuid of a delivery; to list them: npx posthorn deliveries list' : undefined),
  async request(run, { uuid }) {
    const details = (await adminGet(run, `/deliveries/${encodeURIComponent(uuid!)}`)) as DeliveryDetails;
    return { ...details, advice: await listAdvice(run, { delivery: uuid!, webhook: details.delivery.webhook }) };
  },
  print(details, run, terminal) {
    printDelivery(details, run, terminal);
    for (const advice of details.advice) printAdvice(advice, terminal);
  },
};

/** Makes a scheduled retry due now. */
const retry: Verb<{ readonly delivery: Delivery }> = {
  problem: ({ uuid, values }) =>
    uuid === undefined || Object.keys(values).some((flag) => flag !== 'json')
      ? 'retry takes the uuid of one delivery, and no flags besides --json'
      : undefined,
  request: async (run, { uuid }) => (await adminSend(run, 'POST', `/deliveries/${encodeURIComponent(uuid!)}/retry`)) as never,
  print: ({ delivery }, run, terminal) => printDeliveries([delivery], run, terminal),
};

/** The flags that make copies of one delivery, besides --to with a URL. */
const replayFlags = ['edit', 'keep-signature', 'times'] as const;

/** The body of a request for copies of a delivery; empty to redeliver it unchanged. @throws UsageError when the file cannot be read */
function replayOf({ values: { edit, to, 'keep-signature': keeps, times }, cwd }: DeliveriesRequest): object {
  const bytes = edit === undefined ? undefined : readInput(edit, cwd);
  const body = bytes?.toString();
  if (bytes && !Buffer.from(body!).equals(bytes)) throw new UsageError(`${edit} is not UTF-8`);
  return { body, url: to, keep_signature: keeps, times };
}

/** A verb that acts on one delivery by its uuid, or on the deliveries that the flags select. */
const many = (verb: 'redeliver' | 'cancel', done: 'redelivered' | 'cancelled'): Verb<Record<string, unknown>> => ({
  problem({ uuid, values }) {
    const given = Object.keys(values).filter((flag) => flag !== 'json' && flag !== 'limit');
    const isToUrl = values.to !== undefined && isUrl(values.to);
    const replay = isToUrl ? 'to URL' : replayFlags.find((flag) => given.includes(flag));
    if (replay !== undefined && verb !== 'redeliver') return `--${replay} is a flag of redeliver`;
    if (replay !== undefined && uuid === undefined) return `--${replay} needs the uuid of a delivery`;
    const hasFilter = given.some((flag) => !(flag === 'to' && isToUrl) && !replayFlags.some((one) => one === flag));
    if (uuid !== undefined && hasFilter) return `${verb} accepts the uuid of a delivery, or flags that select deliveries, but not both`;
    return uuid === undefined && !hasFilter ? `${verb} needs the uuid of a delivery, flags that select deliveries, or --all` : undefined;
  },
  async request(run, asked) {
    const { json: _json, all: _all, state, ...filters } = asked.values;
    const path = asked.uuid === undefined ? `/deliveries/${verb}` : `/deliveries/${encodeURIComponent(asked.uuid)}/${verb}`;
    const ofOne = verb === 'redeliver' ? replayOf(asked) : {};
    const ofMany = { ...filters, ...(state !== undefined && { states: [state] }) };
    return (await adminSend(run, 'POST', path, asked.uuid === undefined ? ofMany : ofOne)) as never;
  },
  print(response, run, terminal) {
    for (const copy of (response.replays ?? []) as string[]) terminal.out(`queued ${copy}`);
    if (response.replays) return;
    if (response.delivery) return printDeliveries([response.delivery as Delivery], run, terminal);
    terminal.out(`${response[done]} ${done}${response.more ? '; more remain, run the command again' : ''}`);
  },
});

// biome-ignore lint/suspicious/noExplicitAny: each verb prints its own type of response
const verbs: Readonly<Record<string, Verb<any>>> = {
  list,
  show,
  retry,
  redeliver: many('redeliver', 'redelivered'),
  cancel: many('cancel', 'cancelled'),
};
