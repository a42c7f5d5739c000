import type { Claim, ClaimKind } from '../../../core/ports/claims.js';
import type { Connection } from './connection.js';

/** A change of an entry. Of the changes of one key, the one with the highest version counts. */
interface EntryRow {
  readonly kind: ClaimKind;
  readonly key: string;
  readonly shard: string;
  readonly version: string;
  readonly removed: boolean;
}

const ROWS_PER_READ = 10_000;

/** The entries of the directory in memory. */
export class DirectoryEntries {
  #shards = new Map<string, string>();
  #numbers = new Map<string, number>();
  /** Everything up to this version is applied. */
  #version = 0;
  /** The session that has read them, counted by the connection. */
  #session = 0;

  shardOf(kind: ClaimKind, key: string): string | undefined {
    return this.#shards.get(nameOf({ kind, key }));
  }

  /** The number of numbers, by shard. */
  get numbers(): ReadonlyMap<string, number> {
    return this.#numbers;
  }

  claimsOf(shard: string): Claim[] {
    const found: Claim[] = [];
    for (const [name, owner] of this.#shards) if (owner === shard) found.push(claimOf(name));
    return found;
  }

  /** Applies the changes that were made since the last call. */
  async readOn(connection: Connection, table: string): Promise<void> {
    // Changes have versions in the order in which they become visible, so none can appear below one that was read. All of one version
    // are read together. A process that knows nothing yet need not learn what was removed.
    const text = `
      select kind, key, shard, version, removed from ${table} where version > $1 and (not removed or $1 > 0)
      order by version, removed desc fetch first ${ROWS_PER_READ} rows with ties`;
    for (let next: DirectoryEntries = this; ; ) {
      const rows = await connection.query<EntryRow>({ name: 'entries', text, values: [next.#version] });
      if (connection.connections !== next.#session && next.#version > 0) {
        // Another session may be at a server that has lost changes, and has given their versions to others.
        next = new DirectoryEntries();
        continue;
      }
      next.#session = connection.connections;
      for (const row of rows) next.#apply(row);
      if (rows.length > 0) next.#version = Number(rows.at(-1)!.version);
      if (rows.length < ROWS_PER_READ) return this.#become(next);
    }
  }

  #become(other: DirectoryEntries): void {
    if (other === this) return;
    [this.#shards, this.#numbers, this.#version, this.#session] = [other.#shards, other.#numbers, other.#version, other.#session];
  }

  #apply({ kind, key, shard, removed }: EntryRow): void {
    const name = nameOf({ kind, key });
    const before = this.#shards.get(name);
    if (removed) this.#shards.delete(name);
    else this.#shards.set(name, shard);
    if (kind !== 'number') return;
    if (before !== undefined) this.#count(before, -1);
    if (!removed) this.#count(shard, 1);
  }

  #count(shard: string, change: 1 | -1): void {
    this.#numbers.set(shard, (this.#numbers.get(shard) ?? 0) + change);
  }
}

const nameOf = ({ kind, key }: Claim): string => `${kind} ${key}`;

function claimOf(name: string): Claim {
  const space = name.indexOf(' ');
  return { kind: name.slice(0, space) as ClaimKind, key: name.slice(space + 1) };
}
