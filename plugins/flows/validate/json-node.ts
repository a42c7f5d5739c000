export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const NO_NODES: readonly JsonNode[] = [];
/** From this number of members on, a map is faster than a linear search. */
const MANY_MEMBERS = 12;
const MAX_KEY = 200;

/**
 * A JSON value with its position in the text. One class for all kinds, because monomorphic access is fast. Members of objects are in the
 * order of the text; of duplicate keys only the last value is stored, as in JSON.parse.
 */
export class JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  /** The offset after the last character. */
  end: number;
  readonly parent: JsonNode | undefined;
  /** The key in an object; empty in an array. */
  readonly key: string;
  /** The range of the key with its quotes; -1 in an array. */
  readonly keyStart: number;
  readonly keyEnd: number;
  value: string | number | boolean | null;
  items: JsonNode[] = NO_NODES as JsonNode[];
  index: number;
  #byKey: Map<string, JsonNode> | undefined;

  constructor(kind: JsonKind, start: number, end: number, place: JsonPlace, value: string | number | boolean | null) {
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.parent = place.parent;
    this.key = place.key;
    this.keyStart = place.keyStart;
    this.keyEnd = place.keyEnd;
    this.index = place.index;
    this.value = value;
  }

  get(key: string): JsonNode | undefined {
    if (this.kind !== 'object') return undefined;
    const { items } = this;
    if (items.length >= MANY_MEMBERS) {
      this.#byKey ??= new Map(items.map((item) => [item.key, item]));
      return this.#byKey.get(key);
    }
    for (let i = 0; i < items.length; i++) if (items[i]!.key === key) return items[i];
    return undefined;
  }

  get text(): string | undefined {
    return this.kind === 'string' ? (this.value as string) : undefined;
  }
}

/** The position at which the next value is read. One mutable object for all, because there may be a million values. */
export interface JsonPlace {
  parent: JsonNode | undefined;
  key: string;
  keyStart: number;
  keyEnd: number;
  index: number;
}

/** `screens[0].layout.children[1].on-click-action`; keys with a dot, blank, bracket or quote as `cases['a b']`. */
export function pathOf(node: JsonNode): string {
  const parts: string[] = [];
  for (let at: JsonNode | undefined = node; at?.parent; at = at.parent) {
    if (at.parent.kind === 'array') parts.push(`[${at.index}]`);
    else parts.push(step(at.key));
  }
  const path = parts.reverse().join('');
  return path.startsWith('.') ? path.slice(1) : path;
}

const step = (fullKey: string): string => {
  const key = fullKey.length > MAX_KEY ? `${fullKey.slice(0, MAX_KEY)}...` : fullKey;
  return /^[^\s.[\]'"\\]+$/.test(key) ? `.${key}` : `['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
};
