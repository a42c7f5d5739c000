import { adminGet, adminSend } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { type FaultShown, faultRow } from '../reports/fault-report.js';
import { dateTime, type Flag, numeric, oneOf, pairs, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const TARGETS = ['deliveries', 'api', 'journeys', 'models', 'integrations', 'store'] as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

const duration = (help: string): Flag<number> => ({
  takes: 'TIME',
  help,
  read(given) {
    const [, amount, unit] = DURATION.exec(given) ?? [];
    if (unit === undefined) throw new UsageError(`takes a time such as 500ms, 6s or 2m, not '${given}'`);
    return Math.round(Number(amount) * MS[unit as keyof typeof MS]);
  },
});

const flags = {
  on: { ...oneOf(TARGETS, `add: what fails: ${TARGETS.join(', ')}`), takes: 'WHERE' },
  effect: text('KIND', 'add: how it fails, see below; status and delay follow from their flags'),
  status: numeric('N', 'add: the status of a pretended response', { from: 100, to: 599, integer: true }),
  delay: duration('add: how much later the response arrives: 500ms, 6s, 2m'),
  copies: numeric('N', 'add: with duplicate, how many more times', { from: 1, to: 100, integer: true }),
  window: duration('add: with reorder, how much later the delivery starts'),
  match: pairs('FIELD=VALUE', 'add: only what has this field, such as webhook=UUID or contains=TEXT'),
  times: numeric('N', 'add: act this many times (default 1)', { from: 1, to: 1_000_000, integer: true }),
  rate: numeric('P', 'add: act with this probability, from 0 to 1, instead of --times', { from: 0, to: 1, integer: false }),
  seed: numeric('N', 'add: with --rate, another sequence (default 1)', { from: 0, to: 2 ** 31 - 1, integer: true }),
  until: dateTime('add: do not act from this time on'),
  all: toggle('remove: every rule'),
  json: toggle('print the response as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];
type Listed = { readonly faults: readonly FaultShown[]; readonly presets?: Readonly<Record<string, string>> };

export const fault: Command = {
  summary: 'makes deliveries, calls, models or the disk fail on purpose',
  usage: 'fault add|list|remove [ID]|preset [NAME] [flags]',
  examples: ['fault add --on deliveries --status 500 --times 2', 'fault preset flaky-endpoint', 'fault remove --all'],
  notes: [
    'KIND for deliveries: status, delay, timeout, refuse, reset, half_body, bad_json, dns, duplicate,',
    'reorder, wrong_signature, stale_signature, expired_link. For journeys and integrations: the first',
    'eight. For api: status (429, 500, 503) and delay. For store: disk_full, and delay of a sync.',
    'To fail the next two attempts:',
    '  npx posthorn fault add --on deliveries --status 500 --times 2',
    'To list the presets, and to add one:',
    '  npx posthorn fault preset',
    '  npx posthorn fault preset NAME',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb = 'list', name, ...others] = positionals;
    if (others.length > 0) throw new UsageError(`fault ${verb} takes one argument, so '${others[0]}' is too many`);
    const command = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (!command) throw new UsageError(`fault takes add, list, remove or preset, not '${verb}'`);
    const request = command(values, name);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    print(await request(run), verb === 'preset' && name === undefined, values, terminal);
    return exit.ok;
  },
};

/** A verb checks its arguments, and returns the request. @throws UsageError */
type Verb = (values: Values, name: string | undefined) => (run: RunFile) => Promise<unknown>;

const list: Verb = (_, name) => {
  if (name !== undefined) throw new UsageError(`fault list takes flags only, not '${name}'`);
  return (run) => adminGet(run, '/faults');
};

const remove: Verb = ({ all }, id) => {
  if ((id === undefined) === (all === undefined)) throw new UsageError('fault remove takes the id of a rule, or --all');
  return async (run) => {
    const ids = id === undefined ? ((await adminGet(run, '/faults')) as Listed).faults.map((rule) => rule.id) : [id];
    for (const one of ids) await adminSend(run, 'DELETE', `/faults/${encodeURIComponent(one)}`);
    return adminGet(run, '/faults');
  };
};

const add: Verb = (values, name) => {
  if (name !== undefined) throw new UsageError(`fault add takes flags only, not '${name}'`);
  const { on, status, delay, copies, window, match, times, rate, seed, until } = values;
  if (on === undefined) throw new UsageError(`fault add needs --on ${TARGETS.join('|')}`);
  const kind = values.effect ?? (status !== undefined ? 'status' : delay !== undefined ? 'delay' : undefined);
  if (kind === undefined) throw new UsageError('fault add needs --effect, --status or --delay');
  const texts = match && Object.fromEntries(Object.entries(match).map(([field, value]) => [field, String(value)]));
  const effect = { kind, status, delay_ms: delay, copies, window_ms: window };
  return (run) => adminSend(run, 'POST', '/faults', { where: on, effect, match: texts, times, rate, seed, until });
};

const preset: Verb = (_, name) => (run) =>
  name === undefined ? adminGet(run, '/faults') : adminSend(run, 'POST', '/faults', { preset: name });

const verbs: Readonly<Record<string, Verb>> = { add, list, ls: list, remove, rm: remove, preset };

function print(response: unknown, isPresets: boolean, { json }: Values, terminal: Terminal): void {
  const { faults, presets = {} } = response as Listed;
  if (json) {
    terminal.out(JSON.stringify({ v: 1, ...(response as object) }));
    return;
  }
  if (isPresets) {
    printTable(Object.entries(presets), terminal);
    return;
  }
  if (faults.length === 0) terminal.err('No fault rules.');
  printTable(faults.map(faultRow), terminal);
}
