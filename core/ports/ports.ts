import type { Blobs } from './blobs.js';
import type { Clock } from './clock.js';
import type { EventBus } from './events.js';
import type { Faults } from './faults.js';
import type { Heap } from './heap.js';
import type { HttpClient } from './http-client.js';
import type { Ids } from './ids.js';
import type { Logger } from './logger.js';
import type { Models } from './model.js';
import type { Signer } from './outbound.js';
import type { Queue } from './queue.js';
import type { Secrets } from './secrets.js';
import type { Sockets } from './sockets.js';
import type { Store } from './store.js';
import type { Tracing } from './tracing.js';
import type { WorkerPool } from './workers.js';

/** Everything the platform uses from outside. Each has a default implementation that a host application can replace. */
export interface Ports {
  readonly store: Store;
  readonly queue: Queue;
  readonly bus: EventBus;
  readonly workers: WorkerPool;
  readonly http: HttpClient;
  readonly sockets: Sockets;
  readonly models: Models;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly blobs: Blobs;
  readonly log: Logger;
  readonly heap: Heap;
  /** Without it, deliveries are signed with HMAC-SHA256 in the thread that sends them. */
  readonly signer?: Signer | undefined;
  /** Tracing is off without it. */
  readonly tracing?: Tracing | undefined;
  /** Nothing fails on purpose without it. */
  readonly faults?: Faults | undefined;
}
