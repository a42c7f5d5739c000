import type { Json } from '#core';
import type { DocumentAction, DocumentTest, Expectation, Settings, TestDocument } from './document.js';
import { durationOf } from './duration.js';
import { schemaProblems } from './explain.js';
import type { MatcherWord } from './matcher-words.js';
import { readYaml, type YamlSource } from './positions.js';
import { type FilePosition, MAX_PROBLEMS, type Problem } from './problem.js';
import { actionWords, CLOCK_RULE, isClock } from './schema.js';
import { fillRow, rowName, unknownColumn } from './table-rows.js';
import type { TestAction, TestCase, TestStep } from './test-case.js';

/** A parsed test file. Plain data, so that it can be passed to a worker. */
export interface ParsedTests {
  readonly tests: readonly TestCase[];
  /** Mistakes of the file. A file with mistakes has no tests. */
  readonly problems: readonly Problem[];
}

/** Anchors multiply the rows of a small file. */
const MAX_CASES = 50_000;

/** Reads the text of a test file. Never throws: mistakes are in `problems`. */
export function readTests(text: string): ParsedTests {
  const source = readYaml(text);
  if (source.problems.length > 0) return { tests: [], problems: source.problems };
  if (source.value === null || source.value === undefined) {
    return { tests: [], problems: [{ message: "the file is empty; it needs the key 'tests'", at: { line: 1, column: 1 } }] };
  }
  const invalid = schemaProblems(source);
  if (invalid.length > 0) return { tests: [], problems: invalid };
  const document = source.value as TestDocument;
  const count = document.tests.reduce((sum, { each }) => sum + (each?.length ?? 1), 0);
  if (count > MAX_CASES) {
    const message = `the file has ${count} tests with all rows; a file has at most ${MAX_CASES}`;
    return { tests: [], problems: [{ message, at: source.placeOf(['tests']) }] };
  }
  const problems: Problem[] = [];
  const tests = document.tests.flatMap((test, i) => casesOf(document, test, i, source, problems));
  problems.push(...repeatedNames(tests));
  return problems.length > 0 ? { tests: [], problems: problems.slice(0, MAX_PROBLEMS) } : { tests, problems };
}

function casesOf(document: TestDocument, test: DocumentTest, i: number, source: YamlSource, problems: Problem[]): TestCase[] {
  const { name, only = false, skip, each, journey = document.journey, revision = document.revision ?? 'working', steps, ...own } = test;
  const at = source.placeOf(['tests', i, 'name']);
  const settings = merged(document.defaults ?? {}, own);
  const written = steps.flatMap((step, k) => stepsOf(step === 'start' ? { start: null } : step, ['tests', i, 'steps', k], source));
  const whole = {
    name,
    at,
    only,
    revision,
    settings,
    steps: written,
    ...(skip !== undefined && { skip }),
    ...(journey !== undefined && { journey }),
  };
  if (!each) {
    problems.push(...orderProblems(written), ...filledProblems(whole));
    return [whole];
  }
  return each.flatMap((row, k) => {
    const written = Object.fromEntries(
      Object.keys(row).flatMap((column) => {
        const text = source.writtenAt(['tests', i, 'each', k, column]);
        return text === undefined ? [] : [[column, text]];
      }),
    );
    const filled = fillRow({ ...whole, name: rowName(name, row) }, row, written);
    const unknown = unknownColumn(name, row) ?? ('unknown' in filled ? filled.unknown : undefined);
    if (unknown !== undefined || 'unknown' in filled) {
      problems.push({ message: `${unknown} in row ${k + 1}`, at });
      return [];
    }
    problems.push(...orderProblems(filled.value.steps), ...filledProblems(filled.value));
    return [filled.value];
  });
}

/** The settings of a test override the defaults. Maps are merged by key; the mocks of the test come first. */
function merged(defaults: Settings, own: Settings): Settings {
  const maps = (['contact', 'parent', 'child', 'secrets', 'skills', 'models', 'cards', 'journeys'] as const).flatMap((key) =>
    defaults[key] || own[key] ? [[key, { ...defaults[key], ...own[key] }] as const] : [],
  );
  const http_mocks = [...(own.http_mocks ?? []), ...(defaults.http_mocks ?? [])];
  const tags = [...new Set([...(defaults.tags ?? []), ...(own.tags ?? [])])];
  return { ...defaults, ...own, ...Object.fromEntries(maps), http_mocks, tags };
}

function stepsOf(step: DocumentAction, path: readonly (string | number)[], source: YamlSource): TestStep[] {
  const word = actionWords.find((word) => Object.hasOwn(step, word));
  const action = word && { at: source.placeOf([...path, word]), ...actionOf(word, step, path, source) };
  if (!step.expect) return action ? [action] : [];
  const places = Object.fromEntries(Object.keys(step.expect).map((key) => [key, source.placeOf([...path, 'expect', key])]));
  const expectation = withTexts(step.expect, [...path, 'expect'], source);
  const expected = { kind: 'expect', at: source.placeOf([...path, 'expect']), expectation, places } as const;
  return action ? [action, expected] : [expected];
}

const TEXTS = ['text', 'options', 'card', 'actions', 'warnings', 'error'] as const;
const NUMBERS: ReadonlySet<string> = new Set<MatcherWord>(['length', 'at_least', 'at_most']);

/** An expectation whose texts are as they are written: `text: 4.50` is the text 4.50, as in `say`. */
function withTexts(expectation: Expectation, path: Path, source: YamlSource): Expectation {
  const textIn = (value: Json, at: Path): Json => {
    if (typeof value === 'number') return source.writtenAt(at) ?? String(value);
    if (Array.isArray(value)) return value.map((item, i) => textIn(item as Json, [...at, i]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inside]) => [key, NUMBERS.has(key) ? inside : textIn(inside as Json, [...at, key])]),
    ) as Json;
  };
  const texts = TEXTS.flatMap((key) => (expectation[key] === undefined ? [] : [[key, textIn(expectation[key], [...path, key])]]));
  return { ...expectation, ...Object.fromEntries(texts) };
}

type Path = readonly (string | number)[];

function actionOf(
  word: (typeof actionWords)[number],
  step: DocumentAction,
  path: readonly (string | number)[],
  source: YamlSource,
): TestAction {
  const text = (...inside: readonly string[]): string => source.writtenAt([...path, word, ...inside]) ?? String(step[word]);
  switch (word) {
    case 'start':
      return { kind: 'start' };
    case 'say':
      return { kind: 'say', text: text() };
    case 'tap':
    case 'choose':
      return { kind: word, label: text() };
    case 'send': {
      if (typeof step.send !== 'object') return { kind: 'send', message: { text: text() } };
      return { kind: 'send', message: step.send.text === undefined ? step.send : { ...step.send, text: text('text') } };
    }
    case 'wait':
    case 'advance':
      return { kind: 'wait', ms: durationOf(step[word]) ?? unread(step[word]) };
    case 'http_mocks':
      return { kind: 'mock', mocks: step.http_mocks ?? [] };
  }
}

/** A duration with a column is read when the row is filled in (`fillRow`). */
const unread = (given: unknown): number => given as number;

/** Mistakes that show when the columns of a row are filled in. */
function filledProblems({ steps, settings: { clock }, at }: TestCase): Problem[] {
  const isWrong = clock !== undefined && !isClock(clock);
  const wrong = isWrong ? [{ message: `'clock' ${CLOCK_RULE}, not ${JSON.stringify(clock)}`, at }] : [];
  const waits = steps.flatMap((step) =>
    step.kind === 'wait' && typeof step.ms !== 'number'
      ? { message: `'wait' must be a time such as '90 s' or '5 minutes', not ${JSON.stringify(step.ms)}`, at: step.at }
      : [],
  );
  return [...wrong, ...waits];
}

/** A test starts the journey once, before anything else except mocks, and something happens before the first expectation. */
function orderProblems(steps: readonly TestStep[]): Problem[] {
  const acts = steps.filter(({ kind }) => kind !== 'mock');
  const [first] = acts;
  if (!first)
    return [{ message: "the test needs a step that starts the journey: 'start', or 'say' with the first message", at: steps[0]!.at }];
  if (first.kind !== 'start' && first.kind !== 'say' && first.kind !== 'send')
    return [{ message: "the first step must be 'start', or 'say' or 'send' with the first message", at: first.at }];
  const again = acts.slice(1).find(({ kind }) => kind === 'start');
  return again ? [{ message: "'start' can only be the first step", at: again.at }] : [];
}

function repeatedNames(tests: readonly TestCase[]): Problem[] {
  const seen = new Map<string, FilePosition>();
  return tests.flatMap(({ name, at }) => {
    const before = seen.get(name);
    seen.set(name, at);
    return before ? { message: `the name '${name}' is used twice; the first is on line ${before.line}`, at } : [];
  });
}
