import { NAME, type SchemaName } from './schema.js';

type Json = unknown;
type Node = Record<string | symbol, Json>;

/** Keywords whose values are data and contain no schemas. As property names they have no special meaning. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

const partsOf = (node: Node, parent: string): [key: string, part: Json, isData: boolean][] =>
  Object.entries(node).map(([key, part]) => [key, part, parent !== 'properties' && DATA.has(key)]);

/**
 * Moves named schemas to the components of the document, and replaces them by references. A schema with different descriptions in requests
 * and responses becomes two components, `Name` and `NameInput`. If two schemas have the same name, the later one gets a number.
 */
export function shared(document: Node): object {
  const names = namesIn(document);
  const schemas: Record<string, Json> = {};
  const replaced = (node: Json, parent: string, isTop = false): Json => {
    if (Array.isArray(node)) return node.map((part) => replaced(part, ''));
    if (!isNode(node)) return node;
    const name = isTop ? undefined : names.get(identity(node));
    if (name !== undefined) {
      schemas[name] ??= replaced(node, '', true);
      return { $ref: `#/components/schemas/${name}` };
    }
    return Object.fromEntries(partsOf(node, parent).map(([key, part, isData]) => [key, isData ? part : replaced(part, key)]));
  };
  const made = replaced(document, '') as Node;
  return { ...made, components: { ...(made.components as Node), schemas: sorted(schemas) } };
}

/** The identity that all descriptions of one named schema share; undefined for a schema without a name. */
function identity(node: Node): string | undefined {
  const declared = node[NAME] as SchemaName | undefined;
  return declared && `${declared.name} ${JSON.stringify(node)}`;
}

/** The name of every named schema in the document, by its identity. */
function namesIn(document: Node): ReadonlyMap<string | undefined, string> {
  const variants = new Map<string, Map<string, boolean>>();
  visit(document, (node) => {
    const { name, isRequest } = node[NAME] as SchemaName;
    const known = variants.get(name) ?? new Map<string, boolean>();
    const text = identity(node)!;
    // A response with the same description also uses the plain name.
    known.set(text, (known.get(text) ?? true) && isRequest);
    variants.set(name, known);
  });
  const names = new Map<string, string>();
  const taken = new Set<string>(variants.keys());
  for (const [name, texts] of variants) {
    const hasAnswer = [...texts.values()].includes(false);
    let isFree = true;
    for (const [text, isRequest] of [...texts].sort(([, a], [, b]) => Number(a) - Number(b))) {
      const own = isFree ? name : freeName(hasAnswer && isRequest ? `${name}Input` : name, taken);
      isFree = false;
      taken.add(own);
      names.set(text, own);
    }
  }
  return names;
}

function visit(node: Json, look: (node: Node) => void, parent = ''): void {
  if (Array.isArray(node)) for (const part of node) visit(part, look);
  if (!isNode(node)) return;
  if (NAME in node) look(node);
  for (const [key, part, isData] of partsOf(node, parent)) if (!isData) visit(part, look, key);
}

const isNode = (node: Json): node is Node => typeof node === 'object' && node !== null && !Array.isArray(node);

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!taken.has(name)) return name;
  }
}

const sorted = (record: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
