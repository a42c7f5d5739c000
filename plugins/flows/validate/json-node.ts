export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const NO_NODES: readonly JsonNode[] = [];
/** From this many members on, a map answers quicker than looking at each. */
const MANY_MEMBERS = 12;
/** How much of a key a path shows. */
const MAX_KEY = 200;

/**
 * A value of a JSON text that knows its place. One class for all kinds keeps reading fast. Members of objects are in the
 * order of the text; of members with the same key only the last is kept, as JSON.parse does.
 */
export class JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  /** The offset behind the last character. */
  end: number;
  readonly parent: JsonNode | undefined;
  /** The key in an object; empty in an array. */
  readonly key: string;
  /** Where the key stands, with its quotes; -1 in an array. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Of a text, number or boolean. */
  value: string | number | boolean | null;
  /** Members of an object, items of an array. */
  items: JsonNode[] = NO_NODES as JsonNode[];
  /** The place in an array. */
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

  /** The member of an object with this key. */
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

/** Where a value is about to be read. One object, changed for each, because there may be a million values. */
export interface JsonPlace {
  parent: JsonNode | undefined;
  key: string;
  keyStart: number;
  keyEnd: number;
  index: number;
}

/** `screens[0].layout.children[1].on-click-action`; keys that hold a dot, a blank, a bracket or a quote as `cases['a b']`. */
export function pathOf(node: JsonNode): string {
  const parts: string[] = [];
  for (let at: JsonNode | undefined = node; at?.parent; at = at.parent) {
    if (at.parent.kind === 'array') parts.push(`[${at.index}]`);
    else parts.push(step(at.key));
  }
  const path = parts.reverse().join('');
  return path.startsWith('.') ? path.slice(1) : path;
}

const step = (whole: string): string => {
  const key = whole.length > MAX_KEY ? `${whole.slice(0, MAX_KEY)}...` : whole;
  return /^[^\s.[\]'"\\]+$/.test(key) ? `.${key}` : `['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
};
