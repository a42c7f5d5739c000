import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import type { JsonObject } from '#core';
import type { JourneyAdditions } from '../../../plugins/journeys/plugin.js';
import { readMocks } from '../../../plugins/simulation/mocks/mocks.js';
import { urlPattern } from '../../../plugins/simulation/mocks/url-pattern.js';
import { textOfFile } from '../../notebooks/journey-file.js';
import { UsageError } from '../../terminal/flags.js';
import { readJsonFile } from '../../terminal/json-file.js';
import { painter } from '../../terminal/painter.js';
import { exit, type Terminal } from '../../terminal/terminal.js';
import { coverageOf } from '../coverage/parts.js';
import { coverageLines } from '../coverage/summary.js';
import { writeTests } from '../format/index.js';
import { compileJourney, type JourneyUnderTest, JourneyUnusable, journeyFile, readJourney } from '../run/journey-under-test.js';
import { DEFAULT_BUDGET } from './budget.js';
import { type ExploreOptions, explore } from './explorer.js';
import { findingsOf } from './findings.js';
import { counted, findingLines, summaryLine } from './report.js';
import type { StubOptions } from './stubs.js';
import { walkTests } from './walk-tests.js';

/** The flags of `posthorn test explore`. */
export interface ExploreValues {
  readonly write?: string;
  readonly budget?: number;
  readonly contact?: Readonly<Record<string, unknown>>;
  readonly mock?: readonly string[];
  readonly called?: Readonly<Record<string, unknown>>;
  readonly json?: boolean;
}

/** Explores the journey of a file, prints what it found, and writes tests if wanted. @returns the exit code @throws UsageError */
export async function runExplore(
  named: readonly string[],
  values: ExploreValues,
  terminal: Terminal,
  additions?: JourneyAdditions,
): Promise<number> {
  const [file, ...more] = named;
  if (file === undefined || more.length > 0) throw new UsageError('test explore takes one journey file: npx posthorn test explore menu.md');
  const { cwd } = terminal;
  const path = resolve(cwd, file);
  const output = values.write === undefined ? undefined : resolve(cwd, values.write);
  if (output !== undefined) checkOutput(output, values.write!);
  const journey = usable(() => compileJourney(file, textOfFile(file, cwd)));
  const settings = values.contact ? { contact: values.contact as JsonObject } : {};
  const options: ExploreOptions = {
    journey,
    settings,
    budget: values.budget ?? DEFAULT_BUDGET,
    responsesTo: responsesOf((values.mock ?? []).flatMap((name) => [readJsonFile(resolve(cwd, name))].flat())),
    journeyNamed: calledOr(journeysBeside(path), values.called ?? {}, cwd, dirname(output ?? path)),
    effects: additions?.effects,
  };
  const explored = await explore(options);
  const findings = findingsOf(journey, explored);
  const coverage = coverageOf(journey, explored.hits);
  const tests = output === undefined ? undefined : walkTests(explored.walks, settings, path, output);
  if (tests && output !== undefined) writeFileSync(output, writeTests(tests.document, dirname(output)));
  const written = tests && { file: relative(cwd, output!), tests: tests.document.tests.length, left: tests.left };
  if (values.json) {
    const { turns, isCut } = explored;
    const { parts } = coverage;
    terminal.out(JSON.stringify({ v: 1, journey: file, turns, complete: !isCut, findings, coverage: parts, ...(written && { written }) }));
  } else {
    const paint = painter(terminal.isColoured);
    for (const line of findingLines(journey, findings, paint)) terminal.out(line);
    for (const line of coverageLines([coverage], terminal, { by: 'walk', allWith: '--json' })) terminal.out(line);
    terminal.out('');
    if (written) {
      const left = written.left === 0 ? '' : `; ${written.left} walks cannot be written, because equal requests had and had no response`;
      terminal.out(`  ${counted(written.tests, 'test')} ${written.tests === 1 ? 'is' : 'are'} in ${written.file}${left}`);
    }
    terminal.out(`  ${summaryLine(explored, findings)}`);
  }
  return findings.some(({ severity }) => severity === 'error') ? exit.failed : exit.ok;
}

/** A test file is usually edited, so another run must not replace it. @throws UsageError */
export function checkOutput(path: string, shown: string): void {
  if (!/\.test\.ya?ml$/i.test(path))
    throw new UsageError(`${shown} is not the name of a test file; use one like ${basename(path).split('.')[0]}.test.yaml`);
  if (existsSync(path)) throw new UsageError(`${shown} exists; remove it, or write to another file`);
  if (!existsSync(dirname(path))) throw new UsageError(`the folder of ${shown} does not exist`);
}

export function usable(read: () => JourneyUnderTest): JourneyUnderTest {
  try {
    return read();
  } catch (error) {
    throw error instanceof JourneyUnusable ? new UsageError(error.message) : error;
  }
}

/** The responses of the mocks that match a request, each once. */
function responsesOf(given: readonly unknown[]): StubOptions['responsesTo'] {
  const mocks = mocksOf(given).map((mock) => ({ ...mock, pattern: urlPattern(mock.url) }));
  return (method, url) =>
    mocks.filter((mock) => (mock.method === undefined || mock.method === method.toUpperCase()) && mock.pattern.match(url) !== undefined);
}

function mocksOf(given: readonly unknown[]): ReturnType<typeof readMocks> {
  try {
    return readMocks(given, []);
  } catch (error) {
    throw new UsageError(`--mock: ${(error as Error).message}`);
  }
}

/** Journeys that the user names by their ids in calls, and others. @param folder the folder of the tests that name them */
function calledOr(
  others: StubOptions['journeyNamed'],
  called: Readonly<Record<string, unknown>>,
  cwd: string,
  folder: string,
): StubOptions['journeyNamed'] {
  const read = ([id, file]: readonly [string, unknown]) => {
    const path = resolve(cwd, String(file));
    return [id, { journey: usable(() => readJourney(path, String(file))), file: relative(folder, path) }] as const;
  };
  const known = new Map(Object.entries(called).map(read));
  return (id) => known.get(id) ?? others(id);
}

/** Journeys that a journey calls: files beside it. */
export function journeysBeside(path: string): StubOptions['journeyNamed'] {
  const known = new Map<string, ReturnType<StubOptions['journeyNamed']>>();
  return (id) => {
    if (!known.has(id)) known.set(id, calledJourney(path, id));
    return known.get(id);
  };
}

function calledJourney(path: string, id: string): ReturnType<StubOptions['journeyNamed']> {
  const file = /^[\w .-]+$/.test(id) ? journeyFile(path, id) : undefined;
  return file === undefined ? undefined : { journey: usable(() => readJourney(file, basename(file))), file: basename(file) };
}
