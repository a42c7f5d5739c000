import { jsonOf } from '../files/stored-row.js';
import type { ScannedDocuments } from './scan-parts.js';

const CHUNKS = 'core.chunks';
export const USES = 'core.chunk-uses';
/** Only a document with this text can name chunks: a chunk itself, or a document with a text in pieces. */
const NAMES_CHUNKS = '"chunks":[';

/** The chunks that documents name. */
export interface NamedChunks {
  /** How many documents and chunks name each chunk. */
  readonly uses: ReadonlyMap<string, number>;
  /** The chunks that exist. */
  readonly there: ReadonlySet<string>;
  /** Per collection, how many documents name a missing chunk, and the key of the first. */
  readonly lost: readonly { readonly collection: string; readonly documents: number; readonly first: string }[];
}

/** Goes through the documents of every collection. */
export async function namedChunks(all: ReadonlyMap<string, ScannedDocuments>): Promise<NamedChunks> {
  const uses = new Map<string, number>();
  const { inMemory: chunks, onDisk: more = [] } = all.get(CHUNKS) ?? {};
  const there = new Set(chunks?.keys());
  for (const part of more) for (const { key } of await part.rows()) there.add(key);
  const lost = [];
  for (const [collection, { inMemory, onDisk }] of all) {
    const without = { documents: 0, first: '' };
    const look = (key: string, json: string): void => {
      const named = chunksOf(json);
      for (const id of named) uses.set(id, (uses.get(id) ?? 0) + 1);
      if (named.every((id) => there.has(id))) return;
      if (without.documents++ === 0) without.first = key;
    };
    for (const [key, json] of inMemory) look(key, json);
    for (const part of onDisk) for (const row of await part.rows()) if (row.record.includes(NAMES_CHUNKS)) look(row.key, jsonOf(row));
    if (without.documents > 0) lost.push({ collection, ...without });
  }
  return { uses, there, lost };
}

/**
 * Finds wrong use counts, in a folder without its damaged records. A count that is too low would delete a chunk that documents
 * still use; a counted chunk that is missing would never be written again.
 * @param known the stored counts, as JSON by chunk
 * @returns the counts to write; undefined for a count to delete
 */
export function wrongCounts({ uses, there }: NamedChunks, known: ReadonlyMap<string, string>): Map<string, string | undefined> {
  const wrong = new Map<string, string | undefined>();
  for (const id of known.keys()) if (!uses.has(id) || !there.has(id)) wrong.set(id, undefined);
  for (const [id, count] of uses) {
    if (!there.has(id)) continue;
    const json = JSON.stringify({ id, uses: count });
    if (known.get(id) !== json) wrong.set(id, json);
  }
  return wrong;
}

function chunksOf(json: string): readonly string[] {
  if (!json.includes(NAMES_CHUNKS)) return [];
  const document = JSON.parse(json) as object;
  const fields = Object.values(document) as unknown[];
  // The body of a delivery is in its content.
  return [document, ...fields, ...fields.map(bodyIn)].flatMap(namedIn);
}

const bodyIn = (value: unknown): unknown => (value as { readonly body?: unknown } | null)?.body;

function namedIn(value: unknown): readonly string[] {
  const { pieces, chunks } = (value ?? {}) as { pieces?: unknown; chunks?: unknown };
  return Array.isArray(pieces) && Array.isArray(chunks) ? (chunks as unknown[]).filter(isId) : [];
}

const isId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{27}$/.test(id);
