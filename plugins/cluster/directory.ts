/**
 * The directory of a cluster: which shard has which tenant, and which process owns which shard. Every process keeps it in memory and
 * follows its changes. It only tells where to ask; the owner of a shard decides, so an entry that is out of date cannot let a revoked token in.
 */

import type { Claims } from '../../core/ports/claims.js';

/** A process of the cluster. */
export interface Member {
  /** Unique for each start of a process. */
  readonly id: string;
  /** The base URL at which the other processes call this one, such as `http://10.0.0.3:8080`. */
  readonly url: string;
  /** The release that the process runs. */
  readonly version: string;
}

/** The kinds of keys in the directory: the hash of a token, the uuid of a number, or the name of an account. */
export type EntryKind = 'token' | 'number' | 'account';

/** The part of the directory that routing needs. Reads are from memory. */
export interface Directory {
  /** The shards of the cluster, in a fixed order. */
  readonly shards: readonly string[];
  /** The shard that has the entry; undefined if this process does not know it, possibly because it is new: see `catchUp`. */
  shardOf(kind: EntryKind, key: string): string | undefined;
  /** Applies all changes that were made before this call. Concurrent calls share one query. @throws LogUnreachable */
  catchUp(): Promise<void>;
  /**
   * The shard of an account, which has it from then on; for a number without an account, the shard with the fewest tenants.
   * @throws LogUnreachable
   */
  shardFor(account: string | undefined): Promise<string>;
  /** The process that owns the shard, if it is known and its lease has not ended. */
  ownerOf(shard: string): Member | undefined;
  /** Resolves at the next change of an owner, or after `limitMs`. */
  ownerChanged(limitMs: number): Promise<void>;
}

/** The role of a process for a shard that it has in memory. */
export type ShardRole = 'starting' | 'standby' | 'owner';

/** How far a process is with a shard that it has in memory. */
export interface ShardReport {
  readonly shard: string;
  readonly role: ShardRole;
  /** The last transaction that it has applied; as the owner, the last durable one. */
  readonly transaction: number;
  /** Transactions per second, as the owner. */
  readonly rate: number;
  /** Milliseconds of the newest append to the log, as the owner. */
  readonly flush_ms?: number;
}

/** A process as the directory knows it. */
export interface MemberState extends Member {
  /** It is to have no shards. */
  readonly isDraining: boolean;
  /** Whether it has reported within half a lease: a process that is stopped or cut off stays a member for the time of a lease. */
  readonly isFresh: boolean;
  readonly reports: readonly ShardReport[];
}

/** The processes that have a shard in memory, by id. */
export interface Assignment {
  readonly owner: string | undefined;
  /** Follows the owner, and takes over when it ends. */
  readonly standby: string | undefined;
  /** The process to which an operator has moved the shard. It keeps the shard as long as it runs and is not drained. */
  readonly pinned: string | undefined;
}

/** Everything that operators should know about the database of a cluster. */
export interface DatabaseCondition {
  /** Why a fail-over of the database may lose acknowledged transactions. */
  readonly problem?: string | undefined;
  /** The length of leases when no process is late. */
  readonly baseLeaseMs: number;
  /** How late this process renewed a lease or reported at most within the last minute. */
  readonly lateMs: number;
  /** Transactions that vanished, and that no operator has confirmed; by shard. */
  readonly lost: ReadonlyMap<string, number>;
}

/** The state that the processes of a cluster share. Reads are from memory. */
export interface ClusterDirectory extends Directory {
  readonly self: Member;
  /** Joins the cluster, and follows the directory from then on. @throws Error that says what is wrong and what to do */
  start(): Promise<void>;
  /** Leaves the cluster. */
  stop(): Promise<void>;
  /** Why the directory cannot be followed at the moment. */
  problem(): string | undefined;
  /** The current length of leases, in real milliseconds; longer on machines that are too busy to renew them in time. */
  readonly leaseMs: number;
  /** The state of the database, as far as it concerns operators. */
  condition(): DatabaseCondition;
  /** The processes that have reported within the last lease, those that joined first, first. */
  members(): readonly MemberState[];
  assignments(): ReadonlyMap<string, Assignment>;
  /** The epoch of the newest owner; undefined if the shard never had one. */
  epochOf(shard: string): number | undefined;
  /** The number of tenants, by shard. */
  tenants(): ReadonlyMap<string, number>;
  /** Calls the listener after a change of members, owners or assignments. */
  onChange(listener: () => void): void;
  /** Tells the others that this process runs, and what it has in memory. @throws LogUnreachable */
  report(reports: readonly ShardReport[]): Promise<void>;
  /** Whether this process assigns the shards, as far as it knows. */
  readonly isLeader: boolean;
  /** Makes this process the leader, if no other that runs has joined before it. @throws LogUnreachable */
  lead(): Promise<void>;
  /**
   * Stores the assignments of shards, which follow from what this process knows at the time of the call.
   * @returns false when another process has become the leader since then; nothing has changed
   * @throws LogUnreachable
   */
  assign(assignments: ReadonlyMap<string, Assignment>): Promise<boolean>;
  /** Moves a shard to a process, which then keeps it. @throws LogUnreachable */
  pin(shard: string, member: string | undefined): Promise<void>;
  /** Takes all shards away from a process, or lets it have shards again. @throws LogUnreachable */
  drain(member: string, isDraining: boolean): Promise<void>;
  /** The claims of a shard that this process owns. */
  claimsOf(shard: string): Claims;
}
