/**
 * The directory of a cluster: which shard has which tenant, and which process owns which shard. Every process keeps it in memory and
 * follows its changes. It only tells where to ask; the owner of a shard decides, so an entry that is out of date cannot let a revoked token in.
 */

/** A process of the cluster. */
export interface Member {
  /** Unique for each start of a process. */
  readonly id: string;
  /** The base URL at which the other processes call this one, such as `http://10.0.0.3:8080`. */
  readonly url: string;
  /** The release that the process runs. */
  readonly version: string;
}

/** What a key of the directory identifies: the hash of a token, the uuid of a number, or the name of an account. */
export type EntryKind = 'token' | 'number' | 'account';

/** What routing needs of the directory. Reads are from memory. */
export interface Directory {
  /** The shards of the cluster, in a fixed order. */
  readonly shards: readonly string[];
  /** The shard that has the entry; undefined if this process does not know it, possibly because it was made a moment ago: see `catchUp`. */
  shardOf(kind: EntryKind, key: string): string | undefined;
  /** Applies all changes that were made before this call. Concurrent calls share one query. @throws LogUnreachable */
  catchUp(): Promise<void>;
  /** The shard of an account; for a new one, and for a number without an account, the shard with the fewest tenants. */
  shardFor(account: string | undefined): string;
  /** The process that owns the shard, if it is known and its lease has not ended. */
  ownerOf(shard: string): Member | undefined;
  /** Resolves at the next change of an owner, or after `limitMs`. */
  ownerChanged(limitMs: number): Promise<void>;
}
