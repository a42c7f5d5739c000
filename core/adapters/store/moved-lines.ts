import type { LogLines } from '../../ports/log.js';
import type { MovedDocument } from '../../ports/move.js';
import type { MergePatch } from '../../ports/store.js';
import { type Change, decodedText, type StoredCommit } from './commit.js';
import { addCommit, commitsIn } from './files/journal-file.js';
import { mergePatch } from './files/merge-patch.js';
import { SealedLines } from './files/sealed.js';

const PART_BYTES = 256 * 1024;

/** Packs documents into parts: transactions of about 256 KiB, each a line of the journal. */
export class LinePacker {
  #changes: Change[] = [];
  #size = 0;
  #parts = 0;

  /** The number of complete parts. */
  get parts(): number {
    return this.#parts;
  }

  /** @returns the next part, if it is complete with this document */
  add({ collection, key, json }: MovedDocument): Uint8Array | undefined {
    this.#changes.push({ collection, key, json });
    this.#size += key.length + json.length;
    return this.#size < PART_BYTES ? undefined : this.rest();
  }

  /** The last part; undefined if no document is left. */
  rest(): Uint8Array | undefined {
    if (this.#changes.length === 0) return undefined;
    const lines = lineOf(++this.#parts, this.#changes);
    [this.#changes, this.#size] = [[], 0];
    return lines;
  }
}

/** A transaction as a line of the journal. */
export function lineOf(tx: number, changes: readonly Change[]): Uint8Array {
  const lines = new SealedLines();
  addCommit(lines, { tx, changes });
  return lines.bytes;
}

/** The documents of a transaction without deletions and patches. */
export const documentsOf = ({ changes }: StoredCommit): MovedDocument[] =>
  changes.map((change) => ({ collection: change.collection, key: change.key, json: decodedText(change) }));

/** The documents in such transactions. @throws Error when a line is damaged */
export const documentsIn = (lines: Uint8Array): MovedDocument[] => [...commitsIn(bufferOf(lines))].flatMap(documentsOf);

/** The state of a document after later transactions: another document, patches, or with neither a deletion. */
interface Later {
  readonly json: string | undefined;
  readonly patches: readonly MergePatch[];
}

/** The changes after a snapshot. */
export class Overlay {
  readonly #later = new Map<string, Map<string, Later>>();
  /** The last transaction, and the last one with changes. */
  last: number;
  lastChange: number;

  constructor(through: number) {
    this.last = through;
    this.lastChange = through;
  }

  /** Adds the transactions that are not added yet. @throws Error when a line is damaged or missing */
  add({ first, last, lines }: LogLines): void {
    for (const { tx, changes } of commitsIn(bufferOf(lines))) {
      if (tx <= this.last) continue;
      if (tx !== this.last + 1) throw new Error(`transactions ${first} to ${last} of the log contain ${tx} after ${this.last}`);
      this.last = tx;
      if (changes.length > 0) this.lastChange = tx;
      for (const change of changes) {
        const { collection, key, kind } = change;
        const documents = this.#later.get(collection) ?? new Map<string, Later>();
        this.#later.set(collection, documents);
        if (kind === 'deletion') documents.set(key, { json: undefined, patches: [] });
        else if (kind === 'document') documents.set(key, { json: decodedText(change), patches: [] });
        else documents.set(key, patched(documents.get(key), JSON.parse(decodedText(change)) as MergePatch));
      }
    }
  }

  /** The documents of a snapshot as they are after the changes, then those that are not in it. */
  async *over(
    batches: AsyncIterable<readonly MovedDocument[]>,
    collections?: ReadonlySet<string>,
  ): AsyncGenerator<readonly MovedDocument[], void> {
    const isWanted = (collection: string) => !collections || collections.has(collection);
    const seen = new Set<Later>();
    for await (const documents of batches) {
      const batch: MovedDocument[] = [];
      for (const document of documents) {
        const later = this.#later.get(document.collection)?.get(document.key);
        if (later) seen.add(later);
        const json = later ? jsonAfter(later, document.json) : document.json;
        if (json !== undefined && isWanted(document.collection)) batch.push({ ...document, json });
      }
      yield batch;
    }
    for (const [collection, documents] of this.#later) {
      if (!isWanted(collection)) continue;
      let batch: MovedDocument[] = [];
      for (const [key, later] of documents) {
        const json = seen.has(later) ? undefined : jsonAfter(later, undefined);
        if (json !== undefined) batch.push({ collection, key, json });
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    }
  }
}

const BATCH = 500;

/** A document after one more patch. Without a document among the changes, that in the snapshot is patched. */
function patched(before: Later | undefined, patch: MergePatch): Later {
  if (before?.json !== undefined) return { json: JSON.stringify(mergePatch(JSON.parse(before.json), patch)), patches: [] };
  return { json: undefined, patches: [...(before?.patches ?? []), patch] };
}

/** @param json the document in the snapshot */
function jsonAfter({ json: later, patches }: Later, json: string | undefined): string | undefined {
  if (later !== undefined || patches.length === 0) return later;
  if (json === undefined) throw new Error('the log changes a document that does not exist');
  return JSON.stringify(patches.reduce<unknown>((document, patch) => mergePatch(document, patch), JSON.parse(json)));
}

const bufferOf = (lines: Uint8Array): Buffer => Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
