import type { Ports } from '../../ports/ports.js';
import type { WorkerBatch } from '../../ports/workers.js';
import { PiscinaPool } from './piscina-pool.js';

/** Heap limit of a thread: a task that needs more ends only its own thread. */
const MAX_MIB = 512;

export const heapMiBOf = ({ limitBytes }: Pick<Ports['heap'], 'limitBytes'>): number => Math.min(MAX_MIB, Math.floor(limitBytes / 2 ** 20));

interface WorkerPoolOptions extends Pick<Ports, 'heap' | 'log'> {
  readonly onBatch: (batch: WorkerBatch) => void;
}

/** The workers of a platform, or of all shards in a process of a cluster. */
export const workerPool = ({ heap, log, onBatch }: WorkerPoolOptions): PiscinaPool =>
  new PiscinaPool({ heapMiB: heapMiBOf(heap), onError: (error) => log.error('a worker died', { error }), onBatch, leavesThreads: true });
