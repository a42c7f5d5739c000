import { basename } from 'node:path';
import { adminGet, adminSend } from '../client/admin-client.js';
import type { RunFile } from '../client/run-file.js';
import { lintFile, notebookReport, printFindings } from '../reports/journey-report.js';
import { UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { readJourneyFile } from './journey-file.js';

export interface PushValues {
  readonly json?: boolean;
  readonly publish?: boolean;
  readonly number?: string;
  readonly name?: string;
}

interface Journey {
  readonly uuid: string;
  readonly name: string;
  readonly triggers: readonly object[];
}

interface Put {
  readonly journey: Journey;
  readonly problems: Parameters<typeof notebookReport>[2];
}

const ANY_MESSAGE = [{ on: 'message' }];

/**
 * Puts journey files into the running sandbox: creates each journey, or replaces the draft of the journey with its name. With `publish`,
 * drafts without errors answer messages immediately. @returns the exit code: failed when a journey has errors
 */
export async function pushJourneys(run: RunFile, files: readonly string[], values: PushValues, terminal: Terminal): Promise<number> {
  if (files.length > 1 && values.name !== undefined) throw new UsageError('--name works with one file only; push the files one by one');
  const number = await numberOf(run, values.number);
  const { journeys } = (await adminGet(run, `/journeys?number=${number}`)) as { journeys: readonly Journey[] };
  let code: number = exit.ok;
  for (const file of files) {
    const pushed = await pushJourney(run, file, { ...values, number, journeys }, terminal);
    if (!pushed) code = exit.failed;
  }
  return code;
}

interface Target extends PushValues {
  readonly number: string;
  readonly journeys: readonly Journey[];
}

/** @returns whether the journey has no errors */
async function pushJourney(
  run: RunFile,
  file: string,
  { number, journeys, publish = false, json = false, name: given }: Target,
  terminal: Terminal,
): Promise<boolean> {
  const source = readJourneyFile(file, terminal.cwd);
  const name = given ?? (await nameIn(source)) ?? basename(file).replace(/(\.journey)?\.\w+$/, '');
  const known = journeys.find((journey) => journey.name === name);
  const uuid = known?.uuid ?? crypto.randomUUID();
  // JSON has no triggers, so those that the journey has stay.
  const triggers = 'notebook' in source ? {} : { triggers: known?.triggers ?? ANY_MESSAGE };
  const put = (await adminSend(run, 'PUT', `/journeys/${uuid}`, { number, name, ...source, ...triggers })) as Put;
  const errors = put.problems.filter(({ severity }) => severity === 'error').length;
  const isPublished = publish && errors === 0;
  if (isPublished) await adminSend(run, 'POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  if (json) {
    terminal.out(JSON.stringify({ v: 1, file, uuid, name, published: isPublished, problems: put.problems }));
    return errors === 0;
  }
  const report = 'notebook' in source ? notebookReport(file, source.notebook, put.problems) : await lintFile(file, terminal.cwd);
  const done = `${known ? 'Replaced the draft of' : 'Created'} ${name} (${uuid})${isPublished ? ' and published it' : ''}`;
  printFindings([report], terminal, errors > 0 ? `${done}; it has errors and is not published` : done);
  return errors === 0;
}

async function nameIn(source: ReturnType<typeof readJourneyFile>): Promise<string | undefined> {
  if ('definition' in source)
    return typeof source.definition.name === 'string' && source.definition.name !== '' ? source.definition.name : undefined;
  const { compileNotebook } = await import('#core/engine');
  return compileNotebook(source.notebook).title;
}

/** @throws UsageError when it is not clear which number is meant */
async function numberOf(run: RunFile, address: string | undefined): Promise<string> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string; address: string }[] };
  const matching = numbers.filter((number) => address === undefined || number.address === address);
  const existing = numbers.map((number) => number.address).join(', ') || 'none';
  if (matching.length === 0)
    throw new UsageError(
      address === undefined ? 'the sandbox has no number' : `number ${address} not found; existing numbers: ${existing}`,
    );
  if (matching.length > 1) throw new UsageError(`the sandbox has several numbers: ${existing}; choose one with --number`);
  return matching[0]!.uuid;
}
