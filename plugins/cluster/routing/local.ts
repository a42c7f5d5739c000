import type { Server } from '@hapi/hapi';

/** The shards that this process has in memory. Each is a platform of its own, on a hapi server that does not listen. */
export interface LocalShards {
  /** The server of a shard that this process owns and serves. */
  owned(shard: string): Server | undefined;
  /** The servers of all shards in this process, also of those for which it is a standby. */
  all(): ReadonlyMap<string, Server>;
}
