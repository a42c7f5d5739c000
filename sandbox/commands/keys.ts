import { adminGet, adminSend } from '../client/admin-client.js';
import { type RunFile, requireRun } from '../client/run-file.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  role: text('ROLE,…', 'add: the roles of calls with the key (default: viewer)'),
  account: text('NAME,…', 'add: the accounts to which calls with the key are restricted (default: all)'),
  expires: text('TIME', 'add: when the key expires, such as 2027-03-01T00:00:00Z (default: never)'),
  json: toggle('print the result as one line of JSON'),
};
type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

interface Key {
  readonly uuid: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly hint: string;
  readonly accounts?: readonly string[];
  readonly expires_at?: string;
}

export const keys: Command = {
  summary: 'adds, lists and removes keys of the admin API, each with a name and roles',
  usage: 'keys list | add NAME | remove KEY [flags]',
  examples: ['keys add dashboard --role viewer', 'keys remove dashboard'],
  notes: [
    'add prints the key, which cannot be read again. KEY is a name, a uuid or the last characters of a key.',
    'Roles are viewer, operator, author and owner, and those of the platform. A key works and ends immediately,',
    'without a restart. The key of the configuration stays: the host application replaces it.',
    'Exit codes: 0 done, 1 the platform refused it, 2 wrong usage or not found, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [given, name, ...more] = positionals;
    const verb = given === 'ls' ? 'list' : given === 'rm' ? 'remove' : given;
    if (verb === undefined || !['list', 'add', 'remove'].includes(verb))
      throw new UsageError(`keys takes list, add, remove${given === undefined ? '' : `, not '${given}'`}`);
    const extra = verb === 'list' ? name : more[0];
    if (extra !== undefined) throw new UsageError(`'${extra}' is too many for keys ${verb}`);
    if (verb !== 'list' && name === undefined) throw new UsageError(`keys ${verb} needs a ${verb === 'add' ? 'name' : 'key'}`);
    const run = requireRun(terminal.cwd);
    if (verb === 'list') return list(run, values, terminal);
    return verb === 'add' ? add(run, name!, values, terminal) : remove(run, name!, values, terminal);
  },
};

const listIn = (given: string): string[] => given.split(',').map((one) => one.trim());

const all = async (run: RunFile): Promise<readonly Key[]> => ((await adminGet(run, '/keys')) as { keys: readonly Key[] }).keys;

async function list(run: RunFile, { json }: Values, terminal: Terminal): Promise<number> {
  const found = await all(run);
  if (json) terminal.out(JSON.stringify({ v: 1, keys: found }));
  else if (found.length === 0) terminal.out('  no keys besides that of the configuration');
  else
    printTable(
      found.map(({ name, roles, accounts, hint, expires_at, uuid }) => [
        ...[name, roles.join(','), accounts?.join(',') ?? 'all accounts', `…${hint}`],
        ...[expires_at === undefined ? 'never expires' : `expires ${expires_at}`, { text: uuid, isKey: true }],
      ]),
      terminal,
    );
  return exit.ok;
}

async function add(run: RunFile, name: string, values: Values, { out, err }: Terminal): Promise<number> {
  const added = (await adminSend(run, 'POST', '/keys', {
    name,
    roles: listIn(values.role ?? 'viewer'),
    ...(values.account !== undefined && { accounts: listIn(values.account) }),
    ...(values.expires !== undefined && { expires_at: values.expires }),
  })) as { readonly key: Key; readonly text: string };
  if (values.json) out(JSON.stringify({ v: 1, ...added }));
  else {
    out(added.text);
    err(`Added the key ${name}. It is not shown again.`);
  }
  return exit.ok;
}

async function remove(run: RunFile, name: string, { json }: Values, { out }: Terminal): Promise<number> {
  const found = (await all(run)).filter((key) => key.uuid === name || key.name === name || name.endsWith(key.hint));
  if (found.length === 0) throw new UsageError(`key ${name} not found; keys list shows all`);
  if (found.length > 1)
    throw new UsageError(`several keys are called ${name}; name one by its uuid: ${found.map(({ uuid }) => uuid).join(', ')}`);
  await adminSend(run, 'DELETE', `/keys/${found[0]!.uuid}`);
  out(json ? JSON.stringify({ v: 1, removed: found[0]!.uuid }) : `Removed the key ${found[0]!.name}`);
  return exit.ok;
}
