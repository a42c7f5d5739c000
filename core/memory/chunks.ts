import { createHash } from 'node:crypto';
import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { type LongPart, longParts } from './long-parts.js';

/**
 * JSON text as documents keep it: whole, or in pieces where long parts of it are chunks. A number among the pieces stands for
 * the chunk at that place in `chunks`.
 */
export type ChunkedText = string | Pieces;

interface Pieces {
  readonly pieces: readonly (string | number)[];
  readonly chunks: readonly string[];
}

/** A long part of JSON texts, kept once for all the documents of its scope. It never changes. */
export type Chunk = { readonly id: string } & ({ readonly string: string } | Pieces);

/** How many documents and chunks name a chunk. Apart from the chunk, which would be written again with every use. */
export interface ChunkUses {
  readonly id: string;
  readonly uses: number;
}

export const chunks = collection<Chunk>({ key: 'id' });
export const chunkUses = collection<ChunkUses>({ key: 'id' });

/** A text ready to be put into a document. */
export interface PackedText {
  readonly text: ChunkedText;
  /** What it takes as JSON, its chunks included. A chunk that others use too counts for each of them. */
  readonly bytes: number;
}

/** How many characters of the hash of its content name a chunk: 160 bits. */
const ID_CHARACTERS = 27;

/** What a transaction does to chunks; applied when the rest of its work is done. */
interface Changes {
  /** What is added to the uses of each. */
  readonly uses: Map<string, number>;
  /** Chunks that have to be written if they are not there. */
  readonly made: Map<string, Chunk>;
}

/** Keeps long values once, however many documents have them. */
export type Chunks = ReturnType<typeof createChunks>;

export function createChunks({ store }: { store: Database }) {
  const changesOf = new WeakMap<Transaction, Changes>();

  return {
    /**
     * Takes the long parts out of a JSON text, to be kept once for each scope, such as a conversation: documents of different
     * scopes share nothing, so that their transactions do not meet. `before` is what the document had in its place.
     */
    pack(tx: Transaction, json: string, { scope, before }: { scope: string; before?: ChunkedText | undefined }): PackedText {
      const changes = changesIn(tx);
      const packing = new Packing(scope, json);
      const text = packing.text();
      for (const [id, chunk] of packing.made) changes.made.set(id, chunk);
      count(changes, text, 1);
      if (before !== undefined) count(changes, before, -1);
      return { text, bytes: packing.bytes };
    },

    /** Another document has the same text from now on. */
    share(tx: Transaction, text: ChunkedText): void {
      count(changesIn(tx), text, 1);
    },

    /** A document with this text is taken away. Chunks that no other document has go too. */
    release(tx: Transaction, text: ChunkedText | undefined): void {
      if (text !== undefined) count(changesIn(tx), text, -1);
    },

    /** The JSON text that was packed, in the same bytes: as it is durable, or as a transaction has it. @throws ChunkMissing */
    async expand(text: ChunkedText, tx?: Transaction): Promise<string> {
      if (typeof text === 'string') return text;
      const made = tx && changesOf.get(tx)?.made;
      const kept = tx ? tx.in(chunks) : store.open(chunks);
      return expanded(async (id) => made?.get(id) ?? (await kept.get(id)), text, new Map());
    },
  };

  function changesIn(tx: Transaction): Changes {
    const known = changesOf.get(tx);
    if (known) return known;
    const changes: Changes = { uses: new Map(), made: new Map() };
    changesOf.set(tx, changes);
    tx.beforeCommit(() => {
      // What runs at the end of the transaction too, and after this, has its changes applied after it.
      changesOf.delete(tx);
      return apply(tx, changes);
    });
    return changes;
  }
}

/** The document has been changed or taken away since its text was read, or the data is damaged. */
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

/** A chunk comes and goes with its uses, and the chunks inside it with it. What is added goes first: it may use what is taken away elsewhere. */
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
    const chunk = changes.made.get(id);
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

/** One text on its way into pieces. */
class Packing {
  readonly made = new Map<string, Chunk>();
  bytes = 0;
  readonly #scope: string;
  readonly #json: string;
  /** Strings stand in a context several times over; each is hashed once. */
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
    if (!this.made.has(id)) {
      this.made.set(id, chunkOf(id));
      this.bytes += Buffer.byteLength(content);
    }
    return id;
  }
}
