import { adminSend, SandboxRefused } from '../client/admin-client.js';
import { type Channel, channelsOf, isAt } from '../client/channels.js';
import { type Connection, connect, connectionState, connectionsOf } from '../client/connections.js';
import { type RunFile, requireRun } from '../client/run-file.js';
import { environmentLine, environmentOf, statusOf } from '../client/status.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** The variables that connectors read. */
const VARIABLES = ['POSTHORN_API', 'POSTHORN_NUMBER', 'POSTHORN_TOKEN', 'POSTHORN_SECRET'];

const flags = {
  address: text('ADDRESS', 'add: the address of the channel (default: web: and the host of the URL)'),
  name: text('NAME', 'add: the name of the channel (default: the host of the URL)'),
  json: toggle('print the result as one line of JSON'),
};
type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const channel: Command = {
  summary: 'adds, lists and removes channels while a sandbox runs',
  usage: 'channel add URL | add TYPE --SETTING VALUE... | list | remove CHANNEL [flags]',
  examples: ['channel add http://127.0.0.1:3000/', 'channel add telegram', 'channel remove web:127.0.0.1:3000'],
  notes: [
    'add creates a channel whose connector has this URL, and prints the variables that a connector of',
    'posthorn connector new reads:',
    '  eval "$(npx posthorn channel add http://127.0.0.1:3000/)"',
    'If a channel has this URL already, add prints those of that channel; env --number ADDRESS does, too.',
    'add TYPE connects a number to the service of a plugin, or gives it new settings; those that the type',
    'needs are flags, and without them the command names them. A secret can be in a file, or come from',
    'standard input: --token-file FILE, --token -',
    'CHANNEL is an address, a name, a uuid or the URL. remove stops the deliveries and revokes the tokens,',
    'or deletes the secrets; conversations stay, and a later channel with the same address continues them.',
    'Exit codes: 0 done, 1 the platform refused it, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const [, type = ''] = argv;
    if (argv[0] === 'add' && TYPE.test(type)) return connect(requireRun(terminal.cwd), type, argv.slice(2), terminal);
    const { values, positionals } = readFlags(argv, flags);
    const [given, argument, ...more] = positionals;
    const verb = given === 'ls' ? 'list' : given === 'rm' ? 'remove' : given;
    if (verb === undefined || !['add', 'list', 'remove'].includes(verb))
      throw new UsageError(`channel takes add, list, remove${given === undefined ? '' : `, not '${given}'`}`);
    const extra = verb === 'list' ? argument : more[0];
    if (extra !== undefined) throw new UsageError(`'${extra}' is too many for channel ${verb}`);
    if (verb === 'list') return list(requireRun(terminal.cwd), values, terminal);
    if (argument === undefined)
      throw new UsageError(verb === 'add' ? ADD_NEEDS : 'channel remove needs a channel; channel list lists them');
    if (verb === 'remove') return remove(requireRun(terminal.cwd), argument, values, terminal);
    if (!/^https?:\/\//i.test(argument) || !URL.canParse(argument)) throw new UsageError(`'${argument}' is not a URL; ${ADD_NEEDS}`);
    return add(requireRun(terminal.cwd), argument, values, terminal);
  },
};

/** A type of number, and not a URL. */
const TYPE = /^[a-z][a-z0-9_-]*$/;
const ADD_NEEDS = 'channel add needs the URL of a connector, for example: posthorn channel add http://127.0.0.1:3000/';

async function add(run: RunFile, url: string, values: Values, { out, err }: Terminal): Promise<number> {
  const { host, hostname, port, pathname } = new URL(url);
  const existing = (await channelsOf(run)).find(
    (one) => isAt(one, url) && (values.address === undefined || one.number.address === values.address),
  );
  const from_addr = values.address ?? `web:${host}${pathname === '/' ? '' : pathname}`;
  const made = existing ? undefined : await created(run, { from_addr, name: values.name ?? host, endpoint: url });
  const { number } = existing ?? made!;
  const environment = {
    ...(await environmentOfChannel(run, number.uuid, made?.webhook.hmac_secret)),
    ...(LOOPBACK.includes(hostname) && port !== '' && { PORT: port }),
  };
  const { uuid, name, address } = number;
  if (values.json) out(JSON.stringify({ v: 1, created: !existing, channel: { uuid, name, address, endpoint: url }, environment }));
  else {
    for (const [key, value] of Object.entries(environment)) out(environmentLine(key, value, 'env'));
    err(existing ? `Channel ${address} has this endpoint already.` : `Created channel ${address} for ${url}`);
    err(`These variables again: npx posthorn env --number ${address}`);
  }
  return exit.ok;
}

interface Created {
  readonly number: Channel['number'];
  readonly webhook: { readonly hmac_secret: string };
}

async function created(
  run: RunFile,
  about: { readonly from_addr: string; readonly name: string; readonly endpoint: string },
): Promise<Created> {
  try {
    return (await adminSend(run, 'POST', '/channels', about)) as Created;
  } catch (error) {
    if (!(error instanceof SandboxRefused) || error.status !== 409) throw error;
    const { from_addr: address } = about;
    throw new CommandFailed(`another channel has the address ${address}; choose one with --address, or remove that channel`, {
      code: 'conflict',
      next: 'npx posthorn channel list',
    });
  }
}

/** A sandbox knows every token and secret. Another platform shows a secret once, and gets a new token here. */
async function environmentOfChannel(run: RunFile, uuid: string, secret: string | undefined): Promise<Record<string, string>> {
  const status = await statusOf(run);
  if ('channels' in status) {
    const known = environmentOf(status, uuid);
    return Object.fromEntries(VARIABLES.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])));
  }
  if (secret === undefined)
    throw new CommandFailed(
      'a channel has this endpoint already, and this platform shows its secret only once; give --address for another',
      {
        code: 'conflict',
        next: 'npx posthorn channel list',
      },
    );
  const { text: token } = (await adminSend(run, 'POST', `/numbers/${uuid}/tokens`, { name: 'posthorn channel add' })) as { text: string };
  return { POSTHORN_API: run.api, POSTHORN_NUMBER: uuid, POSTHORN_TOKEN: token, POSTHORN_SECRET: secret };
}

async function list(run: RunFile, values: Values, terminal: Terminal): Promise<number> {
  const [channels, connections] = [await channelsOf(run), await connectionsOf(run)];
  if (values.json) terminal.out(JSON.stringify({ v: 1, channels, connections }));
  else if (channels.length + connections.length === 0) terminal.err('No channels. Add one: npx posthorn channel add URL');
  else {
    const ofConnectors = channels.map(({ number, webhooks }) => ({ number, state: webhooks[0]!.url }));
    const ofServices = connections.map((one) => ({ number: one.number, state: `${one.number.type}, ${connectionState(one)}` }));
    printTable(
      [...ofConnectors, ...ofServices].map(({ number: { address, name, uuid }, state }) => [
        address,
        name,
        state,
        { text: uuid, isKey: true },
      ]),
      terminal,
    );
  }
  return exit.ok;
}

async function remove(run: RunFile, wanted: string, values: Values, terminal: Terminal): Promise<number> {
  const all: readonly (Channel | Connection)[] = [...(await channelsOf(run)), ...(await connectionsOf(run))];
  const isWanted = (one: Channel | Connection): boolean =>
    [one.number.uuid, one.number.address].includes(wanted) || ('webhooks' in one && isAt(one, wanted));
  const [found, ...others] = all.some(isWanted) ? all.filter(isWanted) : all.filter(({ number }) => number.name === wanted);
  const addresses = (some: typeof all): string => some.map(({ number }) => number.address).join(', ');
  if (!found) throw new UsageError(`channel '${wanted}' not found; channels: ${addresses(all) || 'none'}`);
  if (others.length > 0) throw new UsageError(`'${wanted}' means several channels: ${addresses([found, ...others])}; give an address`);
  const { uuid, name, address } = found.number;
  await adminSend(run, 'DELETE', 'webhooks' in found ? `/channels/${uuid}` : `/numbers/${uuid}/connection`);
  terminal.out(values.json ? JSON.stringify({ v: 1, removed: { uuid, name, address } }) : `Removed channel ${address}`);
  return exit.ok;
}
