import { Document, isAlias, isCollection, isMap, isPair, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { bigInteger } from '#core/basics';
import { type FilePosition, MAX_PROBLEMS, type Problem } from './problem.js';

type Step = string | number;

/** A YAML text with the place of each part. */
export interface YamlSource {
  /** Undefined if the text is not YAML. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The place of a part: of its key, or of the item of a list. If the part does not exist, the place of its closest existing parent. */
  placeOf(path: readonly Step[]): FilePosition;
  /** A scalar as it is written: `007` and not 7. Undefined for other parts. */
  writtenAt(path: readonly Step[]): string | undefined;
}

/** Aliases of one file. More of them could multiply a small file into a value that exhausts the memory. */
const MAX_ALIASES = 100;

/** Parses YAML 1.2. Never throws: mistakes are in `problems`. */
export function readYaml(given: string): YamlSource {
  const text = given.replace(/^\uFEFF/, '');
  const counter = new LineCounter();
  const parsed = documentOf(text, counter);
  const place = (offset: number): FilePosition => {
    const { line, col } = counter.linePos(offset);
    return line === 0 ? { line: 1, column: 1 } : { line, column: col };
  };
  if (!(parsed instanceof Document)) return withoutValue([parsed]);
  const problems = parsed.errors.slice(0, MAX_PROBLEMS).map(({ message, pos, code }) => ({
    message: `this is not valid YAML: ${firstLineOf(message, code)}`,
    at: place(pos[0]),
  }));
  // Most files need no search.
  if (problems.length === 0 && /\*|__proto__/.test(text)) problems.push(...unusableIn(parsed, place));
  if (problems.length > 0) return withoutValue(problems);
  if (/\d{16}/.test(text)) keepIntegersOfMocks(parsed);
  return {
    ...jsOf(parsed),
    placeOf(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = offsetOf(parsed, path.slice(0, length));
        if (offset !== undefined) return place(offset);
      }
      return place(parsed.contents?.range?.[0] ?? 0);
    },
    writtenAt(path) {
      const node = nodeAt(parsed, path);
      return isScalar(node) ? (typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))) : undefined;
    },
  };
}

function documentOf(text: string, lineCounter: LineCounter): Document | Problem {
  try {
    return parseDocument(text, { lineCounter, merge: true, prettyErrors: false, logLevel: 'error' });
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error;
    return { message: 'this is not valid YAML: it is nested too deeply', at: { line: 1, column: 1 } };
  }
}

/** Parts of valid YAML that JSON cannot have: one that contains itself, and a key that would replace the prototype of an object. */
function unusableIn(document: Document, place: (offset: number) => FilePosition): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Alias(_, alias, path) {
      const whole = alias.resolve(document);
      if (whole && path.some((node) => node === whole))
        problems.push({ message: `the alias *${alias.source} repeats a part that contains it`, at: place(alias.range?.[0] ?? 0) });
    },
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__')
        problems.push({ message: "a key cannot be named '__proto__'", at: place(key.range?.[0] ?? 0) });
    },
  });
  return problems.slice(0, MAX_PROBLEMS);
}

/** Integers in mocks that a double would round keep their digits. Elsewhere in a test file, a number is written as a text. */
function keepIntegersOfMocks(document: Document): void {
  visit(document, {
    Scalar(_, node, path) {
      const isMock = path.some((part) => isPair(part) && isScalar(part.key) && part.key.value === 'http_mocks');
      const { value, source = '' } = node;
      if (isMock && typeof value === 'number' && /^-?\d+$/.test(source) && String(value) !== source) node.value = bigInteger(source);
    },
  });
}

function jsOf(document: Document): Pick<YamlSource, 'value' | 'problems'> {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, problems: [] };
  } catch (error) {
    // Too many aliases, or nested too deeply.
    const message = `this is not valid YAML: ${error instanceof Error ? error.message : String(error)}`;
    return { value: undefined, problems: [{ message, at: { line: 1, column: 1 } }] };
  }
}

const withoutValue = (problems: readonly Problem[]): YamlSource => ({
  value: undefined,
  problems,
  placeOf: () => problems[0]!.at,
  writtenAt: () => undefined,
});

function firstLineOf(message: string, code: string): string {
  if (code === 'MULTIPLE_DOCS') return 'it has several documents (---); a file has one';
  if (code === 'TAB_AS_INDENT') return 'a tab cannot indent; write spaces';
  return message.split('\n')[0]!.replace(/^./, (letter) => letter.toLowerCase());
}

const resolved = (document: Document, node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);

function nodeAt(document: Document, path: readonly Step[]): unknown {
  let node: unknown = document.contents;
  for (const step of path) {
    const inside = resolved(document, node);
    if (!isCollection(inside)) return undefined;
    node = inside.get(step, true);
  }
  return resolved(document, node);
}

/** The offset of a key, or of an item of a list. */
function offsetOf(document: Document, path: readonly Step[]): number | undefined {
  const last = path.at(-1)!;
  const parent = nodeAt(document, path.slice(0, -1));
  if (!isMap(parent)) return isCollection(parent) ? rangeOf(parent.get(last, true)) : undefined;
  const pair = parent.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(last));
  return isPair(pair) ? rangeOf(pair.key) : undefined;
}

const rangeOf = (node: unknown): number | undefined => (node as Node | undefined)?.range?.[0];
