const CHUNKS = 'core.chunks';
export const USES = 'core.chunk-uses';
/** Only a document with this text can name chunks: a chunk itself, or a document with a text field in pieces. */
const NAMES_CHUNKS = '"chunks":[';

/** The documents of every collection by key, as JSON. */
export type AllDocuments = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** How many documents and chunks name each chunk. */
function countedUses(all: AllDocuments): Map<string, number> {
  const uses = new Map<string, number>();
  for (const documents of all.values())
    for (const json of documents.values()) for (const id of chunksOf(json)) uses.set(id, (uses.get(id) ?? 0) + 1);
  return uses;
}

/**
 * Finds wrong use counts, in a folder without its damaged records. A count that is too low would delete a chunk that documents
 * still use; a counted chunk that is missing would never be written again.
 * @returns the counts to write; undefined for a count to delete
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

/** Per collection, how many documents name a missing chunk, and the key of the first. */
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
