import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../../ports/logger.js';
import { DocumentDamaged } from '../../ports/store.js';
import type { FileSystem } from '../file-system.js';
import { ColdPart } from './cold/cold-part.js';
import { DataDamaged } from './files/data-damaged.js';
import {
  currentRows,
  type PartContent,
  partCollectionOf,
  partName,
  partNumberOf,
  readDirectory,
  readPart,
  readPartIndex,
  type SnapshotPart,
} from './files/part-file.js';
import { orDamaged, salvagePart } from './files/salvage-part.js';
import { openSnapshot } from './files/snapshot-file.js';
import { jsonOf, type StoredDocument, type StoredRow } from './files/stored-row.js';
import type { ColdTable } from './tables/cold-table.js';

/** Where a table's files are. */
export interface PartsPlace {
  readonly fs: FileSystem;
  readonly folder: string;
  readonly log: Logger;
  /** Real milliseconds. */
  readonly now: () => number;
  readonly onDamage: (damaged: DocumentDamaged) => void;
}

/** A part whose documents may still be in memory. */
interface Kept {
  readonly part: ColdPart;
  readonly through: number;
  readonly since: number;
}

/** A row of a new part that an older part has too, until that is replaced. */
interface Moved {
  readonly part: ColdPart;
  readonly row: number;
  readonly key: string;
}

/** Documents of larger parts leave memory earlier, the oldest parts first. */
const KEPT_BYTES = 32 << 20;
/** Rows of a part whose documents leave memory between two turns of other work. */
const EVICTED_AT_ONCE = 1_000;

/** Opens a part that stays on disk. Undefined for one without a readable directory, or with other indexes than those declared now. */
export async function openColdPart(
  { fs, folder }: Pick<PartsPlace, 'fs' | 'folder'>,
  table: ColdTable,
  listed: SnapshotPart,
): Promise<ColdPart | undefined> {
  const { directory } = listed;
  if (directory === undefined) return undefined;
  const read = await orDamaged(() => readDirectory(fs, folder, table.name, { ...listed, directory }));
  if (read instanceof DataDamaged) return undefined;
  const part = new ColdPart(listed, read);
  return part.hasIndexes(table.placing.lookups) ? part : undefined;
}

/** The current rows of a part that cannot stay on disk. Of a damaged or missing one, those that can be read; reads of the others fail. */
export async function rowsInMemory(
  { fs, folder, onDamage }: Pick<PartsPlace, 'fs' | 'folder' | 'onDamage'>,
  table: ColdTable,
  listed: SnapshotPart,
  content: PartContent | DataDamaged,
): Promise<StoredRow[]> {
  const { name } = table;
  if (!(content instanceof DataDamaged)) return currentRows(name, listed, content);
  const { rows } = await salvagePart(fs, folder, name, listed);
  const current = rows.filter((_, i) => listed.superseded[i] !== 1);
  const readable = current.filter((row) => row !== undefined);
  const lost = current.length - readable.length;
  const damaged = new DocumentDamaged(
    content.file,
    `${content.damage}. ${lost === 0 ? 'No document of it is lost' : `${lost} of ${current.length} documents of the file are lost`}`,
  );
  if (lost > 0) table.lose(listed, damaged, readable.length === 0);
  onDamage(damaged);
  return readable;
}

/** Brings a table up to date with what merges have written: documents that are in parts leave memory. */
export class AdoptedParts {
  readonly #table: ColdTable;
  readonly #place: PartsPlace;
  #kept: Kept[] = [];
  /** Kept when a call fails, for the next one. */
  #moved: Moved[] = [];
  readonly #removing = new Set<Promise<void>>();

  constructor(table: ColdTable, place: PartsPlace) {
    [this.#table, this.#place] = [table, place];
  }

  /** @param through the last transaction that the merge has read @throws DataDamaged, and the next call does what is missing */
  async adopt(through: number): Promise<void> {
    const table = this.#table;
    const snapshot = openSnapshot(this.#place.fs, this.#place.folder, table.name);
    await snapshot.read();
    const { parts: listed, rows } = snapshot.data;
    const loaded: StoredDocument[] = [];
    for (const part of listed) {
      if (table.cold.parts.some((known) => isSame(known, part))) continue;
      if (!(await this.#add(part, through))) loaded.push(...(await this.#rowsOf(part)));
    }
    for await (const batch of rows) for (const row of batch) if (!this.#isKnown(row.key)) loaded.push({ key: row.key, json: jsonOf(row) });
    this.#replace(listed, loaded, through);
    await this.#evict();
    await this.#removeUnlisted(listed);
  }

  /** Waits until the files of replaced parts are removed, which waits for their readers. */
  async removed(): Promise<void> {
    await Promise.all(this.#removing);
  }

  /** Drops what was adopted, for another start from the beginning. */
  reset(): void {
    [this.#kept, this.#moved] = [[], []];
  }

  /** Adds a new part. Its rows are masked while their documents are in memory or in an older part. @returns false if it cannot stay on disk */
  async #add(listed: SnapshotPart, through: number): Promise<boolean> {
    const table = this.#table;
    const part = await openColdPart(this.#place, table, listed);
    if (!part) return false;
    const keys = await this.#keysOf(part);
    // Nothing else runs from here until the part is in the list.
    const masked: number[] = [];
    for (const [row, key] of keys.entries()) {
      masked.push(row);
      if (!this.#isKnown(key)) this.#moved.push({ part, row, key });
    }
    part.setMasked(masked, true);
    table.cold.setParts([...table.cold.parts, part]);
    this.#kept.push({ part, through, since: this.#place.now() });
    return true;
  }

  #isKnown(key: string): boolean {
    return this.#table.has(key) || this.#table.latest.has(key);
  }

  async #keysOf({ listed }: ColdPart): Promise<readonly string[]> {
    const { fs, folder } = this.#place;
    return (await readPartIndex(fs, folder, this.#table.name, listed)).keys;
  }

  async #rowsOf(part: SnapshotPart): Promise<StoredDocument[]> {
    const { fs, folder } = this.#place;
    const content = await orDamaged(() => readPart(fs, folder, this.#table.name, part));
    const rows = await rowsInMemory(this.#place, this.#table, part, content);
    return rows.filter(({ key }) => !this.#isKnown(key)).map((row) => ({ key: row.key, json: jsonOf(row) }));
  }

  /** Replaces the parts that are not listed any more, and uncovers their rows where they are now. Nothing else runs meanwhile. */
  #replace(listed: readonly SnapshotPart[], loaded: readonly StoredDocument[], through: number): void {
    const table = this.#table;
    const uncovered = new Map<ColdPart, number[]>();
    for (const { part, row, key } of this.#moved) {
      if (this.#isKnown(key)) continue;
      const rows = uncovered.get(part) ?? [];
      uncovered.set(part, rows);
      rows.push(row);
    }
    for (const [part, rows] of uncovered) table.cold.uncover(part, rows);
    this.#moved = [];
    table.cold.setParts(table.cold.parts.filter((part) => listed.some((one) => isSame(part, one))));
    table.keepLost((lost) => listed.some((part) => part.n === lost.n && part.checksum === lost.checksum));
    for (const { key, json } of loaded) if (!this.#isKnown(key)) table.remember(key, json, through);
    for (const [key, tx] of table.latest) if (tx <= through && !table.has(key)) table.latest.delete(key);
  }

  /** Documents leave memory if they are in a part that was written long enough ago. */
  async #evict(): Promise<void> {
    const table = this.#table;
    let bytes = 0;
    const due = this.#kept.toReversed().filter(({ part, since }) => {
      bytes += part.listed.bytes;
      return bytes > KEPT_BYTES || this.#place.now() - since >= table.keptMs;
    });
    for (const { part, through } of due) {
      if (!table.cold.parts.includes(part)) continue;
      const keys = await orDamaged(() => this.#keysOf(part));
      // Then its documents stay in memory.
      if (keys instanceof DataDamaged) continue;
      for (let from = 0; from < keys.length; from += EVICTED_AT_ONCE) {
        const uncovered: number[] = [];
        for (let row = from; row < Math.min(from + EVICTED_AT_ONCE, keys.length); row++) {
          const key = keys[row]!;
          if (!part.isMasked(row) || !table.has(key) || (table.latest.get(key) ?? 0) > through) continue;
          table.forget(key);
          uncovered.push(row);
        }
        table.cold.uncover(part, uncovered);
        await setImmediate();
      }
    }
    this.#kept = this.#kept.filter((one) => !due.includes(one) && table.cold.parts.includes(one.part));
  }

  /** Removes the files of parts that are not listed, each after its last reader. */
  async #removeUnlisted(listed: readonly SnapshotPart[]): Promise<void> {
    const { fs, folder, log } = this.#place;
    const { name: collection, cold } = this.#table;
    const names = new Set(listed.map(({ n }) => partName(collection, n)));
    for (const { name } of await fs.list(folder)) {
      if (partCollectionOf(name) !== collection || names.has(name)) continue;
      const removing = cold
        .unused(partNumberOf(name))
        .then(() => fs.remove(join(folder, name)))
        .catch((error) => log.warn('a file that was replaced could not be removed; the next start removes it', { file: name, error }))
        .finally(() => this.#removing.delete(removing));
      this.#removing.add(removing);
    }
  }
}

/** The number of a part may be used again after a part was replaced. */
const isSame = ({ listed }: ColdPart, { n, checksum }: SnapshotPart): boolean => listed.n === n && listed.checksum === checksum;
