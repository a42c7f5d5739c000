import { type Code, type HintCode, hintCodes } from './codes.js';
import { type JsonNode, pathOf } from './json-node.js';
import { positionsIn } from './positions.js';
import type { Pointer, ValidationError } from './result.js';

/** What a message says. As a function it is made only when the finding is listed. */
export type Message = string | (() => string);

interface Place {
  readonly node: JsonNode;
  /** The range of the key is meant, not that of the value. */
  readonly isKey: boolean;
}

interface Finding {
  readonly code: Code;
  readonly message: Message;
  readonly start: number;
  readonly end: number;
  readonly places: readonly Place[];
}

/** After so many findings nothing more is looked for. */
const MAX_FOUND = 10_000;

const hints: ReadonlySet<Code> = new Set(hintCodes);

export type Findings = ReturnType<typeof createFindings>;

/** Gathers what is wrong, and lists it by position with one entry per code and path. */
export function createFindings() {
  const errors: Finding[] = [];
  const advice: Finding[] = [];

  const add = (code: Code, message: Message, places: readonly Place[]): void => {
    const list = hints.has(code) ? advice : errors;
    if (list.length >= MAX_FOUND) return;
    const { node, isKey } = places[0]!;
    list.push({ code, message, places, start: isKey ? node.keyStart : node.start, end: isKey ? node.keyEnd : node.end });
  };

  return {
    /** Something about a value, and about others that it clashes with. */
    at(node: JsonNode, code: Code, message: Message, others: readonly JsonNode[] = []): void {
      add(
        code,
        message,
        [node, ...others].map((each) => ({ node: each, isKey: false })),
      );
    },

    /** Something about a key. */
    atKey(node: JsonNode, code: Code, message: Message): void {
      add(code, message, [{ node, isKey: true }]);
    },

    /** Advice about a value, and about others that it goes with. */
    hint(node: JsonNode, code: HintCode, message: Message, others: readonly JsonNode[] = []): void {
      add(
        code,
        message,
        [node, ...others].map((each) => ({ node: each, isKey: false })),
      );
    },

    list(text: string, maxListed: number): { errors: ValidationError[]; hints: ValidationError[]; unlistedErrors: number } {
      const rangeOf = positionsIn(text);
      const pointer = ({ node, isKey }: Place): Pointer => ({
        ...(isKey ? rangeOf(node.keyStart, node.keyEnd) : rangeOf(node.start, node.end)),
        path: pathOf(node),
      });
      const shown = (found: readonly Finding[], type: ValidationError['error_type']) => listed(found, type, pointer, maxListed);
      const { list, left } = shown(errors, 'FLOW_JSON_ERROR');
      return { errors: list, hints: shown(advice, 'FLOW_JSON_HINT').list, unlistedErrors: left };
    },
  };
}

function listed(
  found: readonly Finding[],
  error_type: ValidationError['error_type'],
  pointer: (place: Place) => Pointer,
  maxListed: number,
): { list: ValidationError[]; left: number } {
  const sorted = found.toSorted((a, b) => a.start - b.start || a.end - b.end || order(a.code, b.code));
  const seen = new Set<string>();
  const list: ValidationError[] = [];
  let left = 0;
  for (const { code, message, places } of sorted) {
    if (list.length >= maxListed) {
      left++;
      continue;
    }
    const pointers = places.map(pointer);
    const { path, ...range } = pointers[0]!;
    const name = `${code} ${path}`;
    if (seen.has(name)) continue;
    seen.add(name);
    list.push({ error: code, error_type, message: typeof message === 'string' ? message : message(), ...range, pointers });
  }
  return { list, left };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A value as a message shows it: short, on one line, in quotes. */
export function quoted(value: string): string {
  return `'${shortened(value)}'`;
}

/** A text from a flow as a message shows it: short, on one line. */
export function shortened(value: string): string {
  const line = value.slice(0, 61).replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
