import type { Cluster } from '../cluster.js';
import { clusterOn } from './cluster-on.js';
import type { ClusterOptions } from './cluster-options.js';
import { Servers } from './servers.js';

export type { ClusterOptions } from './cluster-options.js';

/**
 * One of several processes that serve the same platform, with its data in PostgreSQL. Every process responds to every call. The numbers are
 * divided into shards; each shard is in the memory of the process that owns it, and of a standby that takes over when the owner ends.
 */
export const createCluster = (options: ClusterOptions): Cluster => clusterOn(new Servers(options.database), options);
