type Json = unknown;
type Node = Record<string, Json>;

const MIN_CHARACTERS = 120;

/** The document with objects that are in it more than once named among its components, after the key under which they first stand. */
export function shared(document: Node): object {
  const seen = new Map<string, { count: number; key: string }>();
  visit(document, '', (node, key) => {
    const text = JSON.stringify(node);
    const known = seen.get(text);
    if (known) known.count++;
    else seen.set(text, { count: 1, key });
  });
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [text, { count, key }] of seen) {
    if (count < 2 || text.length < MIN_CHARACTERS) continue;
    const name = freeName(key, taken);
    taken.add(name);
    names.set(text, name);
  }
  const schemas: Record<string, Json> = {};
  const replaced = (node: Json, key: string, isTop = false): Json => {
    if (Array.isArray(node)) return node.map((part) => replaced(part, key));
    if (!isNode(node)) return node;
    const name = isTop || !isObjectSchema(node) ? undefined : names.get(JSON.stringify(node));
    if (name !== undefined) {
      schemas[name] ??= replaced(node, key, true);
      return { $ref: `#/components/schemas/${name}` };
    }
    return Object.fromEntries(Object.entries(node).map(([at, part]) => [at, at === 'example' ? part : replaced(part, at)]));
  };
  const made = replaced(document, '') as Node;
  return { ...made, components: { ...(made.components as Node), schemas: sorted(schemas) } };
}

function visit(node: Json, key: string, look: (node: Node, key: string) => void): void {
  if (Array.isArray(node)) for (const part of node) visit(part, key, look);
  if (!isNode(node)) return;
  if (isObjectSchema(node)) look(node, key);
  for (const [at, part] of Object.entries(node)) if (at !== 'example') visit(part, at, look);
}

const isNode = (node: Json): node is Node => typeof node === 'object' && node !== null && !Array.isArray(node);
const isObjectSchema = (node: Node): boolean => node.type === 'object' && isNode(node.properties);

/** Keys of JSON Schema say nothing of what a schema is about. */
const STRUCTURE = new Set(['schema', 'items', 'anyOf', 'oneOf', 'properties', '']);

function freeName(key: string, taken: ReadonlySet<string>): string {
  const words = STRUCTURE.has(key) ? ['body'] : key.split(/[^A-Za-z0-9]+/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  for (let n = 1; ; n++) if (!taken.has(n === 1 ? name : `${name}${n}`)) return n === 1 ? name : `${name}${n}`;
}

const sorted = (record: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
