import { type Code, type HintCode, hintCodes } from './codes.js';
import { type JsonNode, pathOf } from './json-node.js';
import { positionsIn } from './positions.js';
import type { Pointer, ValidationError } from './result.js';

/**
 * The text of a finding. Pass a function where the text needs a path, a suggestion or a list: it runs only for findings that
 * are listed (at most 500), while a flow of 10 MB can have a finding for each of its values.
 */
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
/** The most places that one finding names: its length does not grow with that of the flow. */
const MAX_POINTERS = 100;

const hints: ReadonlySet<Code> = new Set(hintCodes);

export type Findings = ReturnType<typeof createFindings>;

/** Gathers what is wrong, and lists it by position with one entry per code and path. */
export function createFindings() {
  const errors: Finding[] = [];
  const advice: Finding[] = [];

  const add = (code: Code, message: Message, node: JsonNode, isKey: boolean, others: readonly JsonNode[]): void => {
    const list = hints.has(code) ? advice : errors;
    if (list.length >= MAX_FOUND) return;
    const places = [{ node, isKey }, ...others.slice(0, MAX_POINTERS - 1).map((other) => ({ node: other, isKey: false }))];
    list.push({ code, message, places, start: isKey ? node.keyStart : node.start, end: isKey ? node.keyEnd : node.end });
  };

  return {
    /** Further errors are not kept: checks that cost more than a look can be left out. */
    get isFull(): boolean {
      return errors.length >= MAX_FOUND;
    },

    /** Something about a value, and about others that it clashes with. */
    at(node: JsonNode, code: Code, message: Message, others: readonly JsonNode[] = []): void {
      add(code, message, node, false, others);
    },

    /** Something about a key. */
    atKey(node: JsonNode, code: Code, message: Message): void {
      add(code, message, node, true, []);
    },

    /** Advice about a value, and about others that it goes with. */
    hint(node: JsonNode, code: HintCode, message: Message, others: readonly JsonNode[] = []): void {
      add(code, message, node, false, others);
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
