import { ownCommand } from '../../core/own-command.js';
import { adminGet, adminSend } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { languageOf, writeStarter } from '../conform/starter.js';
import { type IntegrationsView, panelLines } from '../reports/panel-lines.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const DEFAULT_CONTACT = '+27611111111';

const flags = {
  number: text('ADDRESS', 'the number of the integration (default: the first channel; without channels, the first number)'),
  name: text(
    'NAME',
    'add: the name of the integration (default: its host); click: the name or uuid of the integration, if several offer the action',
  ),
  bearer: text('TOKEN', 'add: an API token, sent as Authorization: Bearer TOKEN'),
  token: text('TOKEN', 'add: an API token, sent as Authorization: Token TOKEN'),
  contact: text('ADDRESS', `click: the contact of the conversation (default ${DEFAULT_CONTACT})`),
  option: text('KEY', 'click: the option of the action'),
  lang: languageOf('integration'),
  json: toggle('print the result as one line of JSON'),
};
type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

interface Integration {
  readonly uuid: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly handshake: {
    readonly state: string;
    readonly trouble?: { readonly reason: string };
    readonly warnings?: readonly { readonly message: string }[];
  };
}

/** Runs one verb with the arguments after its name. @returns the exit code */
type Verb = (run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal) => Promise<number>;

const verbs: Readonly<Record<string, Verb>> = { add, list: ls, ls, handshake, remove: rm, rm, context, click };

export const integration: Command = {
  summary: 'manages integrations, and shows their panels for a conversation',
  usage: 'integration new DIR | add URL | list | handshake NAME | remove NAME | context [CONTACT] | click ACTION',
  examples: ['integration add http://127.0.0.1:8080/', 'integration context +27611111111'],
  notes: [
    'new writes a small integration to start from, with a test; it passes posthorn conform integration.',
    'add creates an integration, prints its secret once and sends the handshake. context opens the',
    'conversation with a contact and polls its integrations. ACTION is the name of an action; context',
    'lists these names. NAME is the name or the uuid of an integration.',
    'Exit codes: 0 done, 1 the integration failed or sent an invalid response, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [name, ...rest] = positionals;
    if (name === 'new' && rest.length < 2) return writeStarter('integration', rest[0], values.lang ?? 'ts', values.json ?? false, terminal);
    const verb = name !== undefined && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
    if (!verb)
      throw new UsageError(`integration takes new, ${Object.keys(verbs).join(', ')}${name === undefined ? '' : `, not '${name}'`}`);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    return verb(run, rest, values, terminal);
  },
};

async function add(run: RunFile, [url]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (url === undefined || !URL.canParse(url))
    throw new UsageError('integration add needs a URL, for example: npx posthorn integration add http://127.0.0.1:8080/');
  if (values.bearer !== undefined && values.token !== undefined)
    throw new UsageError('integration add takes --bearer or --token, not both');
  const { uuid: number } = await numberOf(run, values);
  const credentials =
    values.bearer !== undefined
      ? { authorization: 'Bearer', token: values.bearer }
      : values.token !== undefined
        ? { authorization: 'Token', token: values.token }
        : {};
  const created = (await adminSend(run, 'POST', '/integrations', {
    number,
    url,
    name: values.name ?? new URL(url).host,
    ...credentials,
  })) as {
    integration: Integration;
    hmac_secret: string;
  };
  if (values.json) terminal.out(JSON.stringify({ v: 1, ...created }));
  else {
    terminal.out(`  ${created.integration.name}  ${created.integration.uuid}`);
    terminal.out(`    secret     ${created.hmac_secret}   (shown once; verify signatures with it)`);
    printHandshake(created.integration, terminal);
  }
  return outcomeOf(created.integration);
}

async function ls(run: RunFile, _: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const all = await integrationsOf(run, values);
  if (values.json) terminal.out(JSON.stringify({ v: 1, integrations: all }));
  else if (all.length === 0) terminal.out(`  no integrations; add one with: ${ownCommand()} integration add URL`);
  else {
    for (const one of all) {
      terminal.out(`  ${one.name}  ${one.uuid}${one.enabled ? '' : '  (off)'}`);
      terminal.out(`    url        ${one.url}`);
      printHandshake(one, terminal);
    }
  }
  return exit.ok;
}

async function handshake(run: RunFile, [name]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const { uuid } = await integrationNamed(run, name, values);
  const response = (await adminSend(run, 'POST', `/integrations/${uuid}/handshake`)) as { integration: Integration };
  if (values.json) terminal.out(JSON.stringify({ v: 1, ...(response as object) }));
  else printHandshake(response.integration, terminal);
  return outcomeOf(response.integration);
}

async function rm(run: RunFile, [name]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const { uuid } = await integrationNamed(run, name, values);
  const response = await adminSend(run, 'DELETE', `/integrations/${uuid}`);
  terminal.out(values.json ? JSON.stringify({ v: 1, ...(response as object) }) : `  removed ${name}`);
  return exit.ok;
}

async function context(run: RunFile, [contact = DEFAULT_CONTACT]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const view = await openConversation(run, await conversationOf(run, contact, values), true);
  if (values.json) terminal.out(JSON.stringify({ v: 1, ...view }));
  else for (const line of panelLines(view, painter(terminal.isColoured))) terminal.out(line);
  return view.panels.every(({ state }) => state === 'loaded') ? exit.ok : exit.failed;
}

async function click(run: RunFile, [action]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (action === undefined) throw new UsageError('click needs the name of an action; to list them: npx posthorn integration context');
  const conversation = await conversationOf(run, values.contact ?? DEFAULT_CONTACT, values);
  const view = await openConversation(run, conversation, false);
  const panels = view.panels.filter(({ name, integration }) => values.name === undefined || [name, integration].includes(values.name));
  const panel = panels.find(({ actions }) => actions.some((offered) => offered.action === action));
  if (!panel) {
    const known = panels.flatMap(({ actions }) => actions.map((offered) => offered.action));
    throw new UsageError(`no integration offers action '${action}' in this conversation; available actions: ${known.join(', ') || 'none'}`);
  }
  const response = (await adminSend(run, 'POST', `/conversations/${conversation}/actions`, {
    integration: panel.integration,
    action,
    ...(values.option !== undefined && { option: values.option }),
  })) as { click: { state: string; status?: number; trouble?: { reason: string } }; refreshed: boolean };
  if (values.json) terminal.out(JSON.stringify({ v: 1, ...(response as object) }));
  else {
    const { state, status, trouble } = response.click;
    const outcome = response.refreshed ? 'the conversation was reloaded' : 'the integration may report later that the action is done';
    terminal.out(`  ${state}${status === undefined ? '' : ` ${status}`}  ${trouble?.reason ?? outcome}`);
  }
  return response.click.state === 'accepted' ? exit.ok : exit.failed;
}

function printHandshake({ handshake: { state, trouble, warnings = [] } }: Integration, terminal: Terminal): void {
  terminal.out(`    handshake  ${state}${trouble ? `: ${trouble.reason}` : ''}`);
  for (const { message } of warnings) terminal.out(`               ${message}`);
}

const outcomeOf = ({ handshake: { state } }: Integration): number => (state === 'ready' ? exit.ok : exit.failed);

async function openConversation(run: RunFile, conversation: string, refresh: boolean): Promise<IntegrationsView> {
  const { views } = (await adminGet(run, `/conversations/${conversation}?refresh=${refresh}`)) as {
    views: { integrations: { data: IntegrationsView } };
  };
  return views.integrations.data;
}

interface NumberLine {
  readonly uuid: string;
  readonly kind: string;
  readonly address: string;
}

async function numberOf(run: RunFile, { number: address }: Values): Promise<NumberLine> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly NumberLine[] };
  const found =
    address === undefined
      ? (numbers.find(({ kind }) => kind === 'channel') ?? numbers[0])
      : numbers.find((number) => number.address === address);
  if (found) return found;
  const known = numbers.map((number) => number.address).join(', ');
  throw new UsageError(address === undefined ? 'the sandbox has no number yet' : `number ${address} not found; existing numbers: ${known}`);
}

async function integrationsOf(run: RunFile, values: Values): Promise<readonly Integration[]> {
  const { uuid } = await numberOf(run, values);
  return ((await adminGet(run, `/integrations?number=${uuid}`)) as { integrations: readonly Integration[] }).integrations;
}

async function integrationNamed(run: RunFile, name: string | undefined, values: Values): Promise<Integration> {
  const all = await integrationsOf(run, values);
  if (name === undefined && all.length === 1) return all[0]!;
  const found = all.find((one) => one.uuid === name || one.name === name);
  if (found) return found;
  const known = all.map((one) => one.name).join(', ');
  throw new UsageError(
    name === undefined
      ? `NAME is missing; existing integrations: ${known || 'none'}`
      : `integration '${name}' not found; existing integrations: ${known || 'none'}`,
  );
}

async function conversationOf(run: RunFile, contact: string, values: Values): Promise<string> {
  const { uuid } = await numberOf(run, values);
  const { conversations } = (await adminGet(run, `/numbers/${uuid}/conversations?limit=500`)) as {
    conversations: readonly { uuid: string; owner: string }[];
  };
  const found = conversations.find(({ owner }) => owner === contact);
  if (found) return found.uuid;
  throw new UsageError(
    `no conversation with ${contact} yet; start one with: npx posthorn send "hi"${contact === DEFAULT_CONTACT ? '' : ` --from ${contact}`}`,
  );
}
