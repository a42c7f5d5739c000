import { adminGet, adminSend } from '../client/admin-client.js';
import { printRetention, retentionOf } from '../client/retention.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  account: text('NAME', 'the account whose limits to set'),
  number: text('ADDRESS', 'the number whose limits to set: its uuid or address'),
  days: text('DAYS', 'keep messages for this many days, at least 7; none: no own limit'),
  bytes: text('BYTES', 'keep this many bytes of messages; none: no own limit'),
  reason: text('TEXT', 'why the account is on hold'),
  json: toggle('print the result as one line of JSON'),
};

type Values = { readonly [K in 'account' | 'number' | 'days' | 'bytes' | 'reason']?: string | undefined };

export const retention: Command = {
  summary: 'shows how long messages are kept, sets limits, and puts accounts on hold',
  usage: 'retention [show | set | hold ACCOUNT | release ACCOUNT] [flags]',
  examples: [
    'retention',
    'retention set --account clinic --days 365',
    'retention set --number +27600000001 --days none',
    'retention hold clinic --reason "case 12"',
    'retention release clinic',
  ],
  notes: [
    'Shows what is kept of each number, and what goes next. While an account is on hold, nothing of its',
    'numbers expires: messages, deliveries, media, sessions.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage or not found, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb = 'show', account, ...more] = positionals;
    if (!['show', 'set', 'hold', 'release'].includes(verb)) throw new UsageError(`retention takes show, set, hold, release, not '${verb}'`);
    const takesAccount = verb === 'hold' || verb === 'release';
    if (takesAccount !== (account !== undefined) || more.length > 0)
      throw new UsageError(`retention ${verb} takes ${takesAccount ? 'the name of an account' : 'flags only'}`);
    if (verb === 'hold' && !values.reason) throw new UsageError('retention hold needs --reason');
    const taken = { set: ['account', 'number', 'days', 'bytes'], hold: ['reason'] }[verb] ?? [];
    const other = (['account', 'number', 'days', 'bytes', 'reason'] as const).find(
      (name) => values[name] !== undefined && !taken.includes(name),
    );
    if (other) throw new UsageError(`retention ${verb} does not take --${other}`);
    const change = verb === 'set' ? limitsOf(values) : undefined;
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    if (change && values.number !== undefined) await adminSend(run, 'PATCH', `/numbers/${await numberNamed(run, values.number)}`, change);
    if (change && values.account !== undefined) await adminSend(run, 'PATCH', '/accounts', { account: values.account, ...change });
    if (takesAccount) await adminSend(run, 'PATCH', '/accounts', { account, hold: verb === 'hold' ? { reason: values.reason } : null });
    const shown = await retentionOf(run);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...shown }));
    else if (!printRetention(shown, terminal)) terminal.out('  Nothing has a limit or is on hold: messages are kept indefinitely');
    return exit.ok;
  },
};

function limitsOf({ account, number, days, bytes }: Values): { readonly kept_days?: number | null; readonly kept_bytes?: number | null } {
  if ((account === undefined) === (number === undefined)) throw new UsageError('retention set needs either --account or --number');
  if (days === undefined && bytes === undefined) throw new UsageError('retention set needs --days or --bytes');
  const limit = (name: string, given: string): number | null => {
    if (given === 'none') return null;
    if (!/^\d+(\.\d+)?$/.test(given)) throw new UsageError(`--${name} takes a number or none, not '${given}'`);
    return Number(given);
  };
  return {
    ...(days !== undefined && { kept_days: limit('days', days) }),
    ...(bytes !== undefined && { kept_bytes: limit('bytes', bytes) }),
  };
}

/** @throws UsageError when there is none */
async function numberNamed(run: RunFile, name: string): Promise<string> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string; address: string }[] };
  const found = numbers.find(({ uuid, address }) => uuid === name || address === name || address === name.replace(/^\+/, ''));
  if (!found) throw new UsageError(`number ${name} not found; numbers: ${numbers.map(({ address }) => address).join(', ') || 'none'}`);
  return found.uuid;
}
