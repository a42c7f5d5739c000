const CHUNKS = 'core.chunks';
export const USES = 'core.chunk-uses';
/** Only a document with this names chunks: it is one itself, or a field of it is a text in pieces. */
const NAMES_CHUNKS = '"chunks":[';

/** The documents of every collection by their keys, as JSON. */
export type AllDocuments = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** How often documents, chunks among them, name each chunk. */
function countedUses(all: AllDocuments): Map<string, number> {
  const uses = new Map<string, number>();
  for (const documents of all.values())
    for (const json of documents.values()) for (const id of chunksOf(json)) uses.set(id, (uses.get(id) ?? 0) + 1);
  return uses;
}

/**
 * What is wrong with the counts in a folder whose damaged records are left out. A chunk that is counted too seldom would be taken
 * away while documents still have it, and one that is gone but counted would not be written again.
 * @returns the counts that have to be written; undefined for one that has to go
 */
export function wrongCounts(all: AllDocuments): Map<string, string | undefined> {
  const uses = countedUses(all);
  const known = all.get(USES) ?? new Map<string, string>();
  const wrong = new Map<string, string | undefined>();
  for (const id of known.keys()) if (!uses.has(id) || !all.get(CHUNKS)?.has(id)) wrong.set(id, undefined);
  for (const [id, count] of uses) {
    if (!all.get(CHUNKS)?.has(id)) continue;
    const json = JSON.stringify({ id, uses: count });
    if (known.get(id) !== json) wrong.set(id, json);
  }
  return wrong;
}

/** For each collection, how many documents name a chunk that is missing, and the first of them. */
export function lostChunks(all: AllDocuments): { collection: string; documents: number; first: string }[] {
  const there = all.get(CHUNKS);
  const found = [];
  for (const [collection, documents] of all) {
    const keys = [...documents].filter(([, json]) => chunksOf(json).some((id) => !there?.has(id))).map(([key]) => key);
    if (keys.length > 0) found.push({ collection, documents: keys.length, first: keys[0]! });
  }
  return found;
}

function chunksOf(json: string): readonly string[] {
  if (!json.includes(NAMES_CHUNKS)) return [];
  const document = JSON.parse(json) as object;
  return [document, ...Object.values(document)].flatMap(namedIn);
}

function namedIn(value: unknown): readonly string[] {
  const { pieces, chunks } = (value ?? {}) as { pieces?: unknown; chunks?: unknown };
  return Array.isArray(pieces) && Array.isArray(chunks) ? (chunks as unknown[]).filter(isId) : [];
}

const isId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{27}$/.test(id);
