import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { FlowValidation } from '../plugins/flows/plugin.js';
import { adminGet, adminSend } from './admin-client.js';
import { exit, type Terminal } from './commands/command.js';
import { UsageError } from './flags.js';
import { flowReport, type ReportFormat } from './flow-report.js';
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
}

type Verb = (run: RunFile, words: readonly string[], values: Values, terminal: Terminal) => Promise<number>;

/** What `posthorn flow` does with a running sandbox. */
export const flowVerbs: Readonly<Record<string, Verb>> = {
  push,
  publish: (run, words, values, terminal) => act('publish', run, words, values, terminal),
  deprecate: (run, words, values, terminal) => act('deprecate', run, words, values, terminal),
  preview,
};

/** Makes drafts of files, or gives drafts that are there new definitions. @returns 1 when one of them has errors; it is pushed all the same */
async function push(run: RunFile, files: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  if (files.length > 1 && values.name !== undefined) throw new UsageError('--name is for one file');
  const account = await accountOf(run, values);
  let code: number = exit.ok;
  for (const file of files) {
    const bytes = readFileSync(resolve(terminal.cwd, file));
    const name = values.name ?? basename(file).replace(/(?:\.flow)?\.json$/, '');
    const known = (await flowsOf(run, account)).find((flow) => flow.name === name);
    const definition = bytes.toString();
    const { flow } = (
      known
        ? await adminSend(run, 'PUT', `/flows/${known.id}/definition`, { definition })
        : await adminSend(run, 'POST', '/flows', { account, name, definition })
    ) as { flow: FlowView };
    const { validation_errors: errors, hints } = flow;
    const screens = flow.screens.map((id) => ({ id, isTerminal: false, data: [] }));
    const validation = { errors, hints, unlistedErrors: 0, outline: { screens, entries: [] } };
    for (const line of flowReport({ file, bytes, validation }, values.format ?? 'pretty', terminal.isColoured)) terminal.out(line);
    terminal.err(`${known ? 'Replaced' : 'Made'} ${sayOf(flow)}`);
    if (errors.length > 0) code = exit.failed;
  }
  return code;
}

async function act(
  action: 'publish' | 'deprecate',
  run: RunFile,
  words: readonly string[],
  values: Values,
  terminal: Terminal,
): Promise<number> {
  const { id } = await flowNamed(run, words, values, action);
  const { flow } = (await adminSend(run, 'POST', `/flows/${id}/${action}`)) as { flow: FlowView };
  terminal.out(sayOf(flow));
  return exit.ok;
}

async function preview(run: RunFile, words: readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const { id } = await flowNamed(run, words, values, 'preview');
  const shown = (await adminSend(run, 'POST', `/flows/${id}/preview`, { invalidate: values.new === true })) as {
    preview_url: string;
    expires_at: string;
  };
  terminal.out(`${shown.preview_url}&interactive=true`);
  terminal.err(`Good until ${shown.expires_at.slice(0, 10)}.`);
  return exit.ok;
}

const sayOf = ({ name, id, status }: FlowView): string => `${name} ${id} ${status}`;

async function flowsOf(run: RunFile, account: string | undefined): Promise<readonly FlowView[]> {
  const { flows } = (await adminGet(run, '/flows')) as { flows: FlowView[] };
  return account === undefined ? flows : flows.filter((flow) => flow.account === account);
}

/** @throws UsageError when it is not said which, or there is none, or several have the name */
async function flowNamed(run: RunFile, [wanted, ...rest]: readonly string[], { account }: Values, verb: string): Promise<FlowView> {
  if (wanted === undefined || rest.length > 0) throw new UsageError(`which flow? For example: posthorn flow ${verb} booking`);
  const flows = await flowsOf(run, account);
  const found = flows.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw new UsageError(`several accounts have a flow '${wanted}'; say which with --account`);
  throw new UsageError(`there is no flow '${wanted}'; there are ${flows.map(({ name }) => name).join(', ') || 'none'}`);
}

async function accountOf(run: RunFile, { account }: Values): Promise<string> {
  if (account !== undefined) return account;
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: { account: string | null }[] };
  const first = numbers.find((number) => number.account !== null)?.account;
  if (!first) throw new UsageError('no number of this sandbox has a business account; say which with --account');
  return first;
}
