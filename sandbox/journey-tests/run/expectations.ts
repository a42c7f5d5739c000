import type { Json, JsonObject } from '#core';
import { nearest } from '#core/basics';
import { type Expectation, type FilePosition, isMatcher } from '../format/index.js';
import { type Difference, difference, exactDifference, shown } from './compare.js';
import type { TurnView } from './turn-view.js';

/** An expectation that is not met. */
export interface Unmet extends Difference {
  /** The key of the expectation, such as `text` or `context`. */
  readonly key: string;
  readonly at: FilePosition;
  /** Texts to compare line by line. */
  readonly texts?: { readonly expected: string; readonly received: string };
  /** More for the author, such as the calls that were made. */
  readonly hint?: string;
}

type Check = (view: TurnView, expected: Json) => (Difference & Pick<Unmet, 'texts' | 'hint'>) | undefined;

/** Compares a turn with an expectation. `snapshot` is compared elsewhere. @returns each key that is not met */
export function unmetOf(
  view: TurnView,
  expectation: Expectation,
  places: Readonly<Record<string, FilePosition>>,
  at: FilePosition,
): readonly Unmet[] {
  const unmet: Unmet[] = [];
  for (const key in expectation) {
    if (key === 'snapshot') continue;
    const found = checks[key as Exclude<keyof Expectation, 'snapshot'>](view, expectation[key as 'text'] as Json);
    if (found) unmet.push({ key, at: places[key] ?? at, ...found });
  }
  return unmet;
}

const checks: Readonly<Record<Exclude<keyof Expectation, 'snapshot'>, Check>> = {
  text(view, expected) {
    if (Array.isArray(expected)) return difference(view.texts, expected.map(asText));
    const wanted = asText(expected);
    const received = view.text;
    const found = difference(received, wanted);
    return found && typeof wanted === 'string' ? { ...found, texts: { expected: wanted, received } } : found;
  },
  options: (view, expected) => difference(view.options, asTexts(expected)),
  card: (view, expected) => difference(view.card, asText(expected)),
  state: (view, expected) => difference(view.state, expected),
  error: (view, expected) => difference(view.error, asText(expected)),
  actions: (view, expected) => difference(view.actions, asTexts(expected)),
  warnings: (view, expected) => difference(view.warnings, asTexts(expected)),
  context: (view, expected) => atPaths(view.context, expected as JsonObject),
  contact: (view, expected) => atPaths(view.contact, expected as JsonObject),
  http_calls(view, expected) {
    const calls = view.http_calls;
    const found = difference(calls, expected);
    const misses = calls.flatMap(({ failures }) => failures);
    return found && withHint(found, [...calls.map(({ method, url, status }) => `${method} ${url} ${status ?? 'no response'}`), ...misses]);
  },
  skill_calls(view, expected) {
    const calls = view.skill_calls;
    const found = difference(calls, expected);
    return (
      found &&
      withHint(
        found,
        calls.map(({ name, arguments: given, output }) => `${name} ${shown(given)} -> ${shown(output)}`),
      )
    );
  },
  turns: (view, expected) => exactDifference(view.turns, expected),
};

const withHint = (found: Difference, calls: readonly string[]) => ({
  ...found,
  hint: calls.length === 0 ? 'the turn made none' : `the turn made: ${calls.join('; ')}`,
});

/** Texts of the file may be written as numbers. */
const asText = (value: Json): Json => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);

/** A list of texts. A single text is a list of one. */
function asTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(asText);
  return isMatcher(value) ? value : [asText(value)];
}

/** Compares the values at paths such as `visit.room` or `items[0].name`. */
function atPaths(root: JsonObject, expected: JsonObject): (Difference & Pick<Unmet, 'hint'>) | undefined {
  for (const path in expected) {
    const received = valueAt(root, path);
    const found = difference(received, expected[path]);
    if (!found) continue;
    const [first = path] = stepsOf(path);
    const meant = received === undefined && !Object.hasOwn(root, first) ? nearest(first, Object.keys(root)) : undefined;
    return { ...found, path: `.${path}${found.path}`, ...(meant !== undefined && { hint: `did you mean '${meant}'?` }) };
  }
  return undefined;
}

function valueAt(root: JsonObject, path: string): unknown {
  if (Object.hasOwn(root, path)) return root[path];
  let value: unknown = root;
  for (const step of stepsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Steps of a path. A leading `$.`, as of JSONPath, is accepted. */
const stepsOf = (path: string): string[] =>
  [...path.replace(/^\$\.?/, '').matchAll(/\[(?:(\d+)|'([^']*)'|"([^"]*)")\]|([^.[\]]+)/g)].map(
    ([, index, single, double, key]) => index ?? single ?? double ?? key ?? '',
  );
