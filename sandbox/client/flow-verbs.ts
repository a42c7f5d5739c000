import { basename } from 'node:path';
import type { FlowValidation } from '../../plugins/flows/plugin.js';
import { flowReport, type ReportFormat } from '../reports/flow-report.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { UsageError } from '../terminal/flags.js';
import { expandFolders, FLOW_FILES, readInput, STDIN } from '../terminal/input-files.js';
import { printTable } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { watchUntilStopped } from '../terminal/watch-files.js';
import { adminGet, adminSend, SandboxRefused } from './admin-client.js';
import { pageUrl } from './console.js';
import type { RunFile } from './run-file.js';

interface FlowView {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly status: string;
  readonly validation_errors: FlowValidation['errors'];
  readonly hints: FlowValidation['hints'];
  readonly screens: readonly string[];
}

interface Values {
  readonly format?: ReportFormat;
  readonly name?: string;
  readonly account?: string;
  readonly new?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

type Verb = (run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal) => Promise<number>;

/** The verbs of `posthorn flow` that need a running sandbox. */
export const flowVerbs: Readonly<Record<string, Verb>> = {
  list: listFlows,
  ls: listFlows,
  push,
  publish: (run, positionals, values, terminal) => act('publish', run, positionals, values, terminal),
  deprecate: (run, positionals, values, terminal) => act('deprecate', run, positionals, values, terminal),
  preview: previewFlow,
  delete: deleteFlow,
  open: openFlow,
};

/** Creates drafts from files, or replaces the definitions of existing drafts. A draft with errors is stored, too; the exit code is then 1. */
async function push(run: RunFile, named: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const files = expandFolders(named, terminal.cwd, FLOW_FILES);
  if (files.includes(STDIN) && values.name === undefined) throw new UsageError('a flow from standard input needs a name: --name NAME');
  if (files.length > 1 && values.name !== undefined) throw new UsageError('--name works with one file only; push the files one by one');
  const account = await accountOf(run, values);
  let code: number = exit.ok;
  for (const file of files) {
    const bytes = readInput(file, terminal.cwd);
    const name = values.name ?? nameOf(file);
    const known = (await flowsOf(run, account)).find((flow) => flow.name === name);
    const definition = bytes.toString();
    if (known && known.status !== 'DRAFT') {
      const message = `${name} is ${known.status} and can no longer change; push it under a new name`;
      throw new CommandFailed(message, { code: 'conflict', next: `npx posthorn flow push ${file} --name ${name}-2` });
    }
    const { flow } = (
      known
        ? await adminSend(run, 'PUT', `/flows/${known.id}/definition`, { definition })
        : await adminSend(run, 'POST', '/flows', { account, name, definition })
    ) as { flow: FlowView };
    const { validation_errors: errors, hints } = flow;
    const screens = flow.screens.map((id) => ({ id, isTerminal: false, data: [] }));
    const validation = { errors, hints, unlistedErrors: 0, outline: { screens, entries: [] } };
    if (values.json) terminal.out(JSON.stringify({ v: 1, flow }));
    else {
      for (const line of flowReport({ file, bytes, validation }, values.format ?? 'pretty', terminal.isColoured)) terminal.out(line);
      terminal.err(`${known ? 'Replaced' : 'Created'} ${flowLine(flow)}`);
    }
    if (errors.length > 0) code = exit.failed;
  }
  return code;
}

type Action = 'publish' | 'deprecate';

async function act(action: Action, run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const known = await flowNamed(run, positionals, values, action);
  try {
    const response = (await adminSend(run, 'POST', `/flows/${known.id}/${action}`)) as { flow: FlowView };
    terminal.out(values.json ? JSON.stringify({ v: 1, ...response }) : flowLine(response.flow));
    return exit.ok;
  } catch (error) {
    if (!(error instanceof SandboxRefused) || error.status !== 409) throw error;
    const { message, next } = conflictOf(action, known) ?? { message: error.reason };
    throw new CommandFailed(message, { code: 'conflict', ...(next !== undefined && { next }), result: JSON.parse(error.body) });
  }
}

/** Why a flow cannot be published or deprecated, and what to do instead. */
function conflictOf(
  action: Action,
  { name, status, validation_errors: { length } }: FlowView,
): { message: string; next?: string } | undefined {
  const next = `npx posthorn flow push FILE --name ${name}-2`;
  if (status === 'DEPRECATED') return { message: `${name} is deprecated and can no longer change; push a new version`, next };
  if (action === 'deprecate' && status === 'DRAFT') return { message: `${name} is a draft; only published flows can be deprecated` };
  if (action === 'publish' && status !== 'DRAFT')
    return { message: `${name} is already published and can no longer change; push a new version, and publish that`, next };
  if (length === 0) return undefined;
  const errors = `${length} validation error${length === 1 ? '' : 's'}`;
  return { message: `${name} has ${errors}; fix them, then push the file again`, next: 'npx posthorn flow validate FILE' };
}

async function listFlows(run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`flow list takes flags only, not '${positionals[0]}'`);
  const flows = await flowsOf(run, values.account);
  if (values.json) terminal.out(JSON.stringify({ v: 1, flows }));
  else if (flows.length === 0) terminal.err('No flows.');
  else
    printTable(
      flows.map(({ name, id, status, account, validation_errors: { length: errors } }) => [
        { text: name, style: 'bold' },
        { text: id, isKey: true, link: pageUrl(run, 'flows', id) },
        status,
        account,
        errors > 0 ? { text: `${errors} error${errors === 1 ? '' : 's'}`, style: 'red' } : '',
      ]),
      terminal,
    );
  return exit.ok;
}

/** Deletes a draft. Published flows cannot be deleted, because messages refer to them. */
async function deleteFlow(run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const known = await flowNamed(run, positionals, values, 'delete');
  if (known.status !== 'DRAFT') {
    throw new CommandFailed(`${known.name} is ${known.status}; only drafts can be deleted. Deprecate it to take it out of use`, {
      code: 'conflict',
      next: `npx posthorn flow deprecate ${known.name}`,
    });
  }
  await adminSend(run, 'DELETE', `/flows/${known.id}`);
  terminal.out(values.json ? JSON.stringify({ v: 1, deleted: known.id }) : `Deleted ${known.name} ${known.id}`);
  return exit.ok;
}

/** With `--watch`, the argument is a file: pushes the file, prints the link, and pushes again whenever the file changes. */
async function watchPreview(run: RunFile, files: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const [file] = files;
  if (file === undefined || files.length > 1 || file === STDIN)
    throw new UsageError('flow preview --watch takes one file, for example: npx posthorn flow preview booking.json --watch');
  const { watch: _, ...rest } = values;
  const name = values.name ?? nameOf(file);
  await push(run, [file], { ...rest, name }, terminal);
  const code = await previewFlow(run, [name], rest, terminal);
  await watchUntilStopped([file], () => push(run, [file], { ...rest, name }, terminal), 'Reload the page after a change.', terminal);
  return code;
}

async function previewFlow(run: RunFile, positionals: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (values.watch) return watchPreview(run, positionals, values, terminal);
  const { id } = await flowNamed(run, positionals, values, 'preview');
  const created = (await adminSend(run, 'POST', `/flows/${id}/preview`, { invalidate: values.new === true })) as {
    preview_url: string;
    expires_at: string;
  };
  const preview = { ...created, preview_url: `${created.preview_url}&interactive=true` };
  if (values.json) terminal.out(JSON.stringify({ v: 1, ...preview }));
  else {
    terminal.out(preview.preview_url);
    terminal.err(`Expires on ${preview.expires_at.slice(0, 10)}.`);
  }
  return exit.ok;
}

/** Prints a link that opens the newest flow that was sent to a contact as a form. */
async function openFlow(run: RunFile, [contact, ...rest]: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (contact === undefined || rest.length > 0)
    throw new UsageError('flow open takes one contact, for example: npx posthorn flow open +27611111111');
  const message = await newestFlowOf(run, contact);
  if (message === undefined) throw new UsageError(`no flow has been sent to ${contact} yet`);
  const link = (await adminSend(run, 'POST', `/messages/${message}/flow`)) as { url: string };
  if (values.json) {
    terminal.out(JSON.stringify({ v: 1, ...link }));
    return exit.ok;
  }
  terminal.out(link.url);
  terminal.err('The link works once and expires in 24 hours. The answers arrive as a message of the contact.');
  return exit.ok;
}

interface MessageView {
  readonly uuid: string;
  readonly direction: string;
  readonly timestamp: string;
  readonly content: { readonly interactive?: { readonly type?: string } };
}

/** The newest flow message to a contact, from any number. */
async function newestFlowOf(run: RunFile, contact: string): Promise<string | undefined> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: { uuid: string }[] };
  const found: MessageView[] = [];
  for (const number of numbers) {
    const {
      contacts: [known],
    } = (await adminGet(run, `/numbers/${number.uuid}/contacts?id=${encodeURIComponent(contact)}`)) as { contacts: { uuid: string }[] };
    if (!known) continue;
    const { conversations } = (await adminGet(run, `/numbers/${number.uuid}/conversations?limit=500`)) as {
      conversations: { uuid: string; contact: string }[];
    };
    const conversation = conversations.find((one) => one.contact === known.uuid);
    const { messages = [] } = conversation
      ? ((await adminGet(run, `/conversations/${conversation.uuid}`)) as { messages: MessageView[] })
      : {};
    found.push(
      ...messages.filter(({ direction, content }) => direction === 'outbound' && content.interactive?.type === 'flow').slice(0, 1),
    );
  }
  return found.sort((a, b) => Number(b.timestamp) - Number(a.timestamp))[0]?.uuid;
}

const nameOf = (file: string): string => basename(file).replace(/(?:\.flow)?\.json$/, '');

const flowLine = ({ name, id, status }: FlowView): string => `${name} ${id} ${status}`;

async function flowsOf(run: RunFile, account: string | undefined): Promise<readonly FlowView[]> {
  const { flows } = (await adminGet(run, '/flows')) as { flows: FlowView[] };
  return account === undefined ? flows : flows.filter((flow) => flow.account === account);
}

/** Finds the flow with this name or id. @throws UsageError when the argument is missing, or matches no flow or several flows */
async function flowNamed(run: RunFile, [wanted, ...rest]: readonly string[], { account }: Values, verb: string): Promise<FlowView> {
  if (wanted === undefined || rest.length > 0)
    throw new UsageError(`flow ${verb} takes one flow, for example: npx posthorn flow ${verb} booking`);
  const flows = await flowsOf(run, account);
  const found = flows.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw new UsageError(`several accounts have a flow '${wanted}'; choose one with --account`);
  throw new UsageError(`flow '${wanted}' not found; existing flows: ${flows.map(({ name }) => name).join(', ') || 'none'}`);
}

async function accountOf(run: RunFile, { account }: Values): Promise<string> {
  if (account !== undefined) return account;
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: { account: string | null }[] };
  const first = numbers.find((number) => number.account !== null)?.account;
  if (!first) throw new UsageError('no number of this sandbox has a business account; choose one with --account');
  return first;
}
