import { writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { adminSend } from '../../client/admin-client.js';
import { requireRun } from '../../client/run-file.js';
import { textOfFile } from '../../notebooks/journey-file.js';
import { UsageError } from '../../terminal/flags.js';
import { exit, type Terminal } from '../../terminal/terminal.js';
import { checkOutput, usable } from '../explore/run-explore.js';
import { withJourney, withSchemaFrom } from '../format/index.js';
import { compileJourney } from '../run/journey-under-test.js';
import { fileBeside } from './called-journeys.js';

/** The flags of `posthorn test record`. */
export interface RecordValues {
  readonly conversation?: string;
  readonly write?: string;
  readonly name?: string;
  readonly 'keep-personal-data'?: boolean;
  readonly json?: boolean;
}

interface Recorded {
  readonly tests: string;
  readonly name: string;
  readonly journey: { readonly uuid: string; readonly name: string };
  readonly replaced: readonly { readonly kind: string; readonly by: string; readonly count: number }[];
  readonly notes: readonly string[];
}

/** Records a conversation of the running sandbox as a test, for a journey file or for the journey of the sandbox. @returns the exit code @throws UsageError, NoSandbox */
export async function runRecord(named: readonly string[], values: RecordValues, terminal: Terminal): Promise<number> {
  const { conversation, write, name, json } = values;
  const [journey, ...more] = named;
  if (conversation === undefined || more.length > 0)
    throw new UsageError('test record takes a conversation: npx posthorn test record --conversation UUID [JOURNEY FILE]');
  const { cwd } = terminal;
  const output = write === undefined ? undefined : resolve(cwd, write);
  if (output !== undefined) checkOutput(output, write!);
  // The test is meant to pass with this file, so its mistakes are reported before anything is written.
  if (journey !== undefined) usable(() => compileJourney(journey, textOfFile(journey, cwd)));
  const personal_data = values['keep-personal-data'] ? 'keep' : 'replace';
  const body = { conversation, personal_data, ...(name !== undefined && { name }) };
  const recorded = (await adminSend(requireRun(cwd), 'POST', '/tests/recordings/conversation', body)) as Recorded;
  const path =
    journey === undefined ? undefined : relative(output === undefined ? cwd : dirname(output), resolve(cwd, journey)) || basename(journey);
  const folder = output === undefined ? cwd : dirname(output);
  const notes = [...recorded.notes];
  const fileOf = (called: string): string | undefined => {
    const found = fileBeside(resolve(cwd, journey!), called);
    if (found === undefined) notes.push(`the journey calls '${called}', which is in no file beside it; add its file to journeys`);
    return found && relative(folder, found);
  };
  const tests = withSchemaFrom(folder, path === undefined ? recorded.tests : withJourney(recorded.tests, path, fileOf));
  if (output !== undefined) writeFileSync(output, tests);
  if (json) terminal.out(JSON.stringify({ v: 1, ...recorded, tests, notes, ...(write !== undefined && { file: write }) }));
  else if (output === undefined) terminal.out(tests.trimEnd());
  if (json) return exit.ok;
  for (const { kind, by, count } of recorded.replaced)
    terminal.err(`Replaced: ${kind} by ${by}, ${count} ${count === 1 ? 'time' : 'times'}`);
  terminal.err(
    personal_data === 'keep'
      ? 'The test has the personal data of the conversation.'
      : 'Texts of the contact may have other personal data: read the test before you share it.',
  );
  for (const note of notes) terminal.err(`Note: ${note}`);
  if (write !== undefined) terminal.err(`The test is in ${write}. Run it with: npx posthorn test ${write}`);
  return exit.ok;
}
