import { createHash } from 'node:crypto';
import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type LongPart, longParts } from './long-parts.js';

/**
 * JSON text as stored in documents: complete, or in pieces whose long parts are chunks. A number among the pieces is an index
 * into `chunks`.
 */
export type ChunkedText = string | Pieces;

interface Pieces {
  readonly pieces: readonly (string | number)[];
  readonly chunks: readonly string[];
}

/** A long part of JSON texts, stored once for all documents of its scope. Immutable. */
export type Chunk = { readonly id: string } & ({ readonly string: string } | Pieces);

/** How many documents and chunks reference a chunk. Stored separately, so that a new use does not rewrite the chunk. */
export interface ChunkUses {
  readonly id: string;
  readonly uses: number;
}

export const chunks = collection<Chunk>({ key: 'id', tenant: { chunk: true }, cold: { after: 0 } });
export const chunkUses = collection<ChunkUses>({ key: 'id', tenant: { chunk: true }, cold: { after: 0 } });

/** A text ready to be stored in a document. */
export interface PackedText {
  readonly text: ChunkedText;
  /** Size as JSON including chunks. A shared chunk counts fully for each document. */
  readonly bytes: number;
}

/** A chunk id is the first 27 base64url characters of its content's hash: 160 bits. */
const ID_CHARACTERS = 27;

/** Pending changes of a transaction, applied at its end. */
interface Changes {
  /** Change of each chunk's use count. */
  readonly uses: Map<string, number>;
  /** Chunks to write if they do not exist. */
  readonly created: Map<string, Chunk>;
}

/** Stores long values once, however many documents contain them. */
export type Chunks = ReturnType<typeof createChunks>;

export function createChunks({ store }: { store: Database }) {
  const changesOf = new WeakMap<Transaction, Changes>();

  return {
    /**
     * Replaces the long parts of a JSON text by chunks, which are stored once per scope, such as a conversation. Different
     * scopes share no chunks, so that their transactions do not conflict. `before` is the document's previous text.
     */
    pack(tx: Transaction, json: string, { scope, before }: { scope: string; before?: ChunkedText | undefined }): PackedText {
      const packing = new Packing(scope, json);
      const text = packing.text();
      // Most texts are short. Registering their changes would cost a callback before each commit.
      if (typeof text === 'string' && (before === undefined || typeof before === 'string')) return { text, bytes: packing.bytes };
      const changes = changesIn(tx);
      for (const [id, chunk] of packing.created) changes.created.set(id, chunk);
      count(changes, text, 1);
      if (before !== undefined) count(changes, before, -1);
      return { text, bytes: packing.bytes };
    },

    /** Records that another document now has the same text. */
    share(tx: Transaction, text: ChunkedText): void {
      count(changesIn(tx), text, 1);
    },

    /** Records that a document with this text is deleted. Deletes chunks that no other document uses. */
    release(tx: Transaction, text: ChunkedText | undefined): void {
      if (text !== undefined && typeof text !== 'string') count(changesIn(tx), text, -1);
    },

    /** The original JSON text, byte for byte, from durable data or as `tx` sees it. @throws ChunkMissing */
    async expand(text: ChunkedText, tx?: Transaction): Promise<string> {
      if (typeof text === 'string') return text;
      const created = tx && changesOf.get(tx)?.created;
      const stored = tx ? tx.in(chunks) : store.open(chunks);
      return expanded(async (id) => created?.get(id) ?? (await stored.get(id)), text, new Map());
    },
  };

  function changesIn(tx: Transaction): Changes {
    const known = changesOf.get(tx);
    if (known) return known;
    const changes: Changes = { uses: new Map(), created: new Map() };
    changesOf.set(tx, changes);
    tx.beforeCommit(() => {
      // A `beforeCommit` callback that runs later collects and applies its own changes.
      changesOf.delete(tx);
      return apply(tx, changes);
    });
    return changes;
  }
}

/** The document was changed or deleted since its text was read, or the data is damaged. */
export class ChunkMissing extends Error {
  override readonly name = 'ChunkMissing';

  constructor(id: string) {
    super(`the chunk ${id} of a text does not exist any more`);
  }
}

function count({ uses }: Changes, text: ChunkedText, by: 1 | -1): void {
  if (typeof text === 'string') return;
  for (const id of text.chunks) uses.set(id, (uses.get(id) ?? 0) + by);
}

/**
 * Applies the count changes, recursively for chunks inside chunks. Applies increments first, because a chunk may be released by one
 * document and used by another.
 */
async function apply(tx: Transaction, changes: Changes): Promise<void> {
  for (;;) {
    const changed = [...changes.uses].filter(([, by]) => by !== 0);
    const added = changed.filter(([, by]) => by > 0);
    if (changed.length === 0) return;
    for (const [id, by] of added.length > 0 ? added : changed) {
      changes.uses.delete(id);
      await change(tx, changes, id, by);
    }
  }
}

async function change(tx: Transaction, changes: Changes, id: string, by: number): Promise<void> {
  const before = (await tx.in(chunkUses).get(id))?.uses ?? 0;
  const uses = before + by;
  if (before === 0 && uses > 0) {
    const chunk = changes.created.get(id);
    if (!chunk) throw new ChunkMissing(id);
    tx.in(chunks).put(chunk);
    if ('chunks' in chunk) count(changes, chunk, 1);
  }
  if (uses > 0) {
    tx.in(chunkUses).put({ id, uses });
    return;
  }
  const chunk = await tx.in(chunks).get(id);
  tx.in(chunks).delete(id);
  tx.in(chunkUses).delete(id);
  if (chunk && 'chunks' in chunk) count(changes, chunk, -1);
}

type Find = (id: string) => Promise<Chunk | undefined>;

async function expanded(find: Find, { pieces, chunks }: Pieces, known: Map<string, string>): Promise<string> {
  for (const id of chunks) {
    if (known.has(id)) continue;
    const chunk = await find(id);
    if (!chunk) throw new ChunkMissing(id);
    known.set(id, 'string' in chunk ? JSON.stringify(chunk.string) : await expanded(find, chunk, known));
  }
  return pieces.map((piece) => (typeof piece === 'string' ? piece : known.get(chunks[piece]!)!)).join('');
}

/** Splits one text into pieces. */
class Packing {
  readonly created = new Map<string, Chunk>();
  bytes = 0;
  readonly #scope: string;
  readonly #json: string;
  /** Strings often repeat within a context; each is hashed once. */
  readonly #strings = new Map<string, string>();

  constructor(scope: string, json: string) {
    this.#scope = scope;
    this.#json = json;
  }

  text(): ChunkedText {
    const parts = longParts(this.#json);
    if (parts.length === 0) {
      this.bytes = Buffer.byteLength(this.#json);
      return this.#json;
    }
    const pieces = this.#pieces(0, this.#json.length, parts);
    this.bytes += Buffer.byteLength(JSON.stringify(pieces));
    return pieces;
  }

  #pieces(start: number, end: number, parts: readonly LongPart[]): Pieces {
    const pieces: (string | number)[] = [];
    const chunks: string[] = [];
    let at = start;
    for (const part of parts) {
      const id = this.#chunk(part);
      const known = chunks.indexOf(id);
      if (known < 0) chunks.push(id);
      pieces.push(this.#json.slice(at, part.start), known < 0 ? chunks.length - 1 : known);
      at = part.end;
    }
    pieces.push(this.#json.slice(at, end));
    return { pieces: pieces.filter((piece) => piece !== ''), chunks };
  }

  /** @returns its id */
  #chunk({ start, end, isString, parts }: LongPart): string {
    if (!isString) {
      const pieces = this.#pieces(start, end, parts);
      return this.#add(JSON.stringify(pieces), (id) => ({ id, ...pieces }));
    }
    const literal = this.#json.slice(start, end);
    const known = this.#strings.get(literal);
    if (known !== undefined) return known;
    const id = this.#add(literal, (id) => ({ id, string: JSON.parse(literal) as string }));
    this.#strings.set(literal, id);
    return id;
  }

  #add(content: string, chunkOf: (id: string) => Chunk): string {
    const id = createHash('sha256').update(this.#scope).update('\0').update(content).digest('base64url').slice(0, ID_CHARACTERS);
    if (!this.created.has(id)) {
      this.created.set(id, chunkOf(id));
      this.bytes += Buffer.byteLength(content);
    }
    return id;
  }
}
