import { type Code, type HintCode, hintCodes } from './codes.js';
import { type JsonNode, pathOf } from './json-node.js';
import { positionsIn } from './positions.js';
import type { Pointer, ValidationError } from './result.js';

/**
 * The text of a finding. Pass a function if building the text is expensive (paths, suggestions, lists): it runs only for listed findings,
 * at most 500, while a flow of 10 MB can have a finding for each of its values.
 */
export type Message = string | (() => string);

interface FindingTarget {
  readonly node: JsonNode;
  /** Whether the range is that of the key, not of the value. */
  readonly isKey: boolean;
}

interface Finding {
  readonly code: Code;
  readonly message: Message;
  readonly start: number;
  readonly end: number;
  readonly places: readonly FindingTarget[];
}

/** Further findings are dropped. */
const MAX_FOUND = 10_000;
const MAX_POINTERS = 100;

const hints: ReadonlySet<Code> = new Set(hintCodes);

export type Findings = ReturnType<typeof createFindings>;

/** Collects errors and hints; `list` sorts them by position and keeps one entry per code and path. */
export function createFindings() {
  const errors: Finding[] = [];
  const hintList: Finding[] = [];

  const add = (code: Code, message: Message, node: JsonNode, isKey: boolean, others: readonly JsonNode[]): void => {
    const list = hints.has(code) ? hintList : errors;
    if (list.length >= MAX_FOUND) return;
    const places = [{ node, isKey }, ...others.slice(0, MAX_POINTERS - 1).map((other) => ({ node: other, isKey: false }))];
    list.push({ code, message, places, start: isKey ? node.keyStart : node.start, end: isKey ? node.keyEnd : node.end });
  };

  return {
    /** Whether further errors are dropped, so that expensive checks can be skipped. */
    get isFull(): boolean {
      return errors.length >= MAX_FOUND;
    },

    /** Adds an error about a value, and about the others that it conflicts with. */
    at(node: JsonNode, code: Code, message: Message, others: readonly JsonNode[] = []): void {
      add(code, message, node, false, others);
    },

    atKey(node: JsonNode, code: Code, message: Message): void {
      add(code, message, node, true, []);
    },

    /** Adds a hint about a value, and about the others that it concerns. */
    hint(node: JsonNode, code: HintCode, message: Message, others: readonly JsonNode[] = []): void {
      add(code, message, node, false, others);
    },

    hintAtKey(node: JsonNode, code: HintCode, message: Message): void {
      add(code, message, node, true, []);
    },

    list(text: string, maxListed: number): { errors: ValidationError[]; hints: ValidationError[]; unlistedErrors: number } {
      const rangeOf = positionsIn(text);
      const pointer = ({ node, isKey }: FindingTarget): Pointer => ({
        ...(isKey ? rangeOf(node.keyStart, node.keyEnd) : rangeOf(node.start, node.end)),
        path: pathOf(node),
      });
      const shown = (found: readonly Finding[], type: ValidationError['error_type']) => listed(found, type, pointer, maxListed);
      const { list, unlisted } = shown(errors, 'FLOW_JSON_ERROR');
      return { errors: list, hints: shown(hintList, 'FLOW_JSON_HINT').list, unlistedErrors: unlisted };
    },
  };
}

function listed(
  found: readonly Finding[],
  error_type: ValidationError['error_type'],
  pointer: (place: FindingTarget) => Pointer,
  maxListed: number,
): { list: ValidationError[]; unlisted: number } {
  const sorted = found.toSorted((a, b) => a.start - b.start || a.end - b.end || order(a.code, b.code));
  const seen = new Set<string>();
  const list: ValidationError[] = [];
  let unlisted = 0;
  for (const { code, message, places } of sorted) {
    if (list.length >= maxListed) {
      unlisted++;
      continue;
    }
    const pointers = places.map(pointer);
    const { path, ...range } = pointers[0]!;
    const name = `${code} ${path}`;
    if (seen.has(name)) continue;
    seen.add(name);
    list.push({ error: code, error_type, message: typeof message === 'string' ? message : message(), ...range, pointers });
  }
  return { list, unlisted };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Shortens a value to one line for a message, and quotes it. */
export function quoted(value: string): string {
  return `'${shortened(value)}'`;
}

export function shortened(value: string): string {
  const line = value.slice(0, 61).replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
