import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { JourneySource } from '../notebooks/journey-file.js';
import { printFindings, readJourney, type TextFinding } from '../reports/journey-report.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { UsageError } from '../terminal/flags.js';
import { expandFolders, JOURNEY_FILES, STDIN } from '../terminal/input-files.js';
import { painter } from '../terminal/painter.js';
import { tableLines } from '../terminal/table.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { adminGet, adminSend, SandboxRefused } from './admin-client.js';
import { pageUrl } from './console.js';
import { type RunFile, requireRun } from './run-file.js';

interface JourneyView {
  readonly uuid: string;
  readonly name: string;
  readonly number: string;
  readonly enabled: boolean;
  readonly triggers: readonly { readonly on: string; readonly words?: readonly string[] }[];
  readonly revisions: { readonly staging: string | null; readonly production: string | null };
  readonly draft: string;
}

interface NumberView {
  readonly uuid: string;
  readonly kind: string;
  readonly address: string;
}

type Problems = readonly TextFinding[];

interface Values {
  readonly number?: string;
  readonly name?: string;
  readonly publish?: boolean;
  readonly revision?: 'production' | 'staging';
  readonly json?: boolean;
}

type Verb = (positionals: readonly string[], values: Values, terminal: Terminal) => Promise<number>;

/** The verbs of `posthorn journey` that need a running sandbox. */
export const journeyVerbs = { list, ls: list, push, publish } satisfies Readonly<Record<string, Verb>>;

async function list(positionals: readonly string[], { number, json }: Values, terminal: Terminal): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`journey list takes flags only, not '${positionals[0]}'`);
  const run = requireRun(terminal.cwd);
  const paint = painter(terminal.isColoured);
  const listed = await Promise.all(
    (await journeysOf(run, number)).map(async ({ journey, address }) => {
      const { problems } = (await adminGet(run, `/journeys/${journey.uuid}/problems`)) as { problems: Problems };
      return { ...journey, address, problems };
    }),
  );
  if (json) {
    terminal.out(JSON.stringify({ v: 1, journeys: listed }));
    return exit.ok;
  }
  if (listed.length === 0) terminal.err('No journeys.');
  const lines = tableLines(
    listed.map((journey) => [
      { text: journey.name, style: 'bold', link: pageUrl(run, 'journeys', journey.uuid) },
      journey.address,
      stateOf(journey),
      journey.triggers.map(({ on, words }) => (words ? `${on}: ${words.join(', ')}` : on)).join('; ') || 'no triggers',
      { text: journey.uuid, style: 'dim', isKey: true },
    ]),
    terminal,
  );
  for (const [i, { problems }] of listed.entries()) {
    terminal.out(lines[i]!);
    for (const { code, message, fix } of problems) {
      if (code === 'shadowed_trigger') terminal.out(`  ${paint('yellow', 'warning')} ${message}. ${fix}`);
    }
  }
  return exit.ok;
}

function stateOf({ enabled, revisions: { production, staging }, draft }: JourneyView): string {
  if (!enabled) return 'disabled';
  if (production === null) return staging === null ? 'draft' : 'staging only';
  return production === draft ? 'published' : 'published, newer draft';
}

async function push(named: readonly string[], { number, name, publish, json }: Values, terminal: Terminal): Promise<number> {
  if (named.length === 0) throw new UsageError('journey push needs a file: npx posthorn journey push FILE');
  const files = expandFolders(named, terminal.cwd, JOURNEY_FILES);
  if (files.length > 1 && name !== undefined) throw new UsageError('--name works with one file only; push the files one by one');
  const run = requireRun(terminal.cwd);
  const target = await numberFor(run, number);
  let code: number = exit.ok;
  for (const file of files) {
    const { source, report } = await readJourney(file, terminal.cwd);
    const called = name ?? (await nameOf(source, file));
    const known = (await journeysOf(run, target.address)).find(({ journey }) => journey.name === called)?.journey;
    // JSON has no triggers, so those that the journey has stay.
    const triggers = 'notebook' in source ? {} : { triggers: known?.triggers ?? ANY_MESSAGE };
    const payload = { number: target.uuid, name: called, ...source, ...triggers };
    const put = (await adminSend(run, 'PUT', `/journeys/${known?.uuid ?? randomUUID()}`, payload)) as Answer;
    const errors = put.problems.filter(({ severity }) => severity === 'error').length;
    const published = publish && errors === 0 ? await publishDraft(run, put.journey.uuid, 'production') : undefined;
    if (json) terminal.out(JSON.stringify({ v: 1, file, ...(published ?? put) }));
    else {
      const verb = published ? 'Published' : known ? 'Replaced the draft of' : 'Created';
      const refused = publish && errors > 0 ? '; it has errors and is not published' : '';
      printFindings([report(put.problems)], terminal, `${verb} ${called} ${put.journey.uuid}${refused}`);
    }
    if (errors > 0) code = exit.failed;
  }
  return code;
}

async function publish(
  [wanted, ...rest]: readonly string[],
  { number, revision = 'production', json }: Values,
  terminal: Terminal,
): Promise<number> {
  if (wanted === undefined || rest.length > 0) throw new UsageError('journey publish takes one journey: npx posthorn journey publish NAME');
  const run = requireRun(terminal.cwd);
  const { uuid, name } = await journeyNamed(run, wanted, number);
  try {
    const answer = await publishDraft(run, uuid, revision);
    if (json) terminal.out(JSON.stringify({ v: 1, ...answer }));
    else {
      for (const { severity, code, message, fix } of answer.problems) terminal.out(`${severity} ${code}: ${message}. ${fix}`);
      terminal.out(`Published ${name} ${uuid} to ${revision}`);
    }
    return exit.ok;
  } catch (error) {
    if (!(error instanceof SandboxRefused) || error.status !== 409) throw error;
    throw new CommandFailed(`${name} cannot be published: ${error.reason}`, {
      code: 'conflict',
      next: 'npx posthorn journey lint FILE',
      result: JSON.parse(error.body),
    });
  }
}

/** The title of a notebook, or the name of the file. @throws UsageError for standard input without a title */
async function nameOf(source: JourneySource, file: string): Promise<string> {
  const { compileNotebook } = await import('#engine');
  const title = 'notebook' in source ? compileNotebook(source.notebook).title : undefined;
  if (title) return title;
  if (file === STDIN) throw new UsageError('a journey from standard input needs a name: --name NAME');
  return basename(file).replace(/(?:\.journey)?\.(?:json|md|markdown)$/, '');
}

/** The definition of the draft of a journey in the running sandbox. @throws UsageError when no journey, or several, have the name */
export async function draftOf(name: string, number: string | undefined, cwd: string): Promise<object> {
  const run = requireRun(cwd);
  const { uuid } = await journeyNamed(run, name, number);
  return ((await adminGet(run, `/journeys/${uuid}`)) as { definition: object }).definition;
}

const ANY_MESSAGE = [{ on: 'message' }];

interface Answer {
  readonly journey: JourneyView;
  readonly problems: Problems;
}

const publishDraft = (run: RunFile, uuid: string, revision: string): Promise<Answer> =>
  adminSend(run, 'POST', `/journeys/${uuid}/publish`, { revision }) as Promise<Answer>;

async function numbersOf(run: RunFile, address: string | undefined): Promise<readonly NumberView[]> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: NumberView[] };
  const found = numbers.filter((number) => address === undefined || number.address === address || number.uuid === address);
  if (address !== undefined && found.length === 0)
    throw new UsageError(`number ${address} not found; numbers: ${numbers.map((number) => number.address).join(', ') || 'none'}`);
  return found;
}

async function numberFor(run: RunFile, address: string | undefined): Promise<NumberView> {
  const numbers = await numbersOf(run, address);
  const found = numbers.find(({ kind }) => kind === 'channel') ?? numbers[0];
  if (!found) throw new UsageError('the sandbox has no number for a journey');
  return found;
}

async function journeysOf(run: RunFile, address: string | undefined): Promise<{ journey: JourneyView; address: string }[]> {
  const lists = await Promise.all(
    (await numbersOf(run, address)).map(async (number) => {
      const { journeys } = (await adminGet(run, `/journeys?number=${number.uuid}`)) as { journeys: JourneyView[] };
      return journeys.map((journey) => ({ journey, address: number.address }));
    }),
  );
  return lists.flat();
}

async function journeyNamed(run: RunFile, wanted: string, address: string | undefined): Promise<JourneyView> {
  const all = await journeysOf(run, address);
  const found = all.filter(({ journey }) => journey.name === wanted || journey.uuid === wanted);
  if (found.length === 1) return found[0]!.journey;
  if (found.length > 1)
    throw new UsageError(`${found.map(({ address }) => address).join(' and ')} have a journey '${wanted}'; choose one with --number`);
  throw new UsageError(
    `journey '${wanted}' not found; journeys: ${[...new Set(all.map(({ journey }) => journey.name))].join(', ') || 'none'}`,
  );
}
