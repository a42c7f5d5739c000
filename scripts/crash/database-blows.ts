import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplicatedServer } from './replicated-server.js';

/**
 * A blow to the database of a cluster, which has a replica. `fail-over`: the primary is killed, and its replica promoted. `freeze`: the same with a
 * primary that is stopped (SIGSTOP) and continues later. `terminate`: sessions are ended while their commits wait for the replica, then it is
 * promoted. `replica`: the replica ends, and another one takes its place. `asynchronous`: commits do not wait for the replica, which is
 * promoted when it lacks some of them. `restore`: a backup takes the place of the database.
 */
export type DatabaseBlow = 'fail-over' | 'freeze' | 'terminate' | 'replica' | 'asynchronous' | 'restore';

/** How a blow is struck, and how the database gets a replica again. */
export interface BlowToDatabase {
  /** Whether acknowledged transactions may be lost, if all of them are reported. */
  readonly loses: boolean;
  /** @returns when the database could be used again at the earliest, by `performance.now` */
  strike(server: ReplicatedServer): Promise<number>;
  /** After every conversation was acknowledged again. */
  after(server: ReplicatedServer): Promise<void>;
}

/** Load while the replica gets nothing, and before a backup is restored. */
const LOST_MS = 500;
const THAWED_MS = 1_000;
const WITHOUT_REPLICA_MS = 1_500;
/** How often sessions are ended that wait for the replica: those of appends, and those that send them again. */
const ENDED = 3;

const renew = async (server: ReplicatedServer): Promise<void> => {
  await server.endPrevious();
  await server.attach();
  await server.setSynchronous(true);
};

export const databaseBlows: Record<DatabaseBlow, BlowToDatabase> = {
  'fail-over': {
    loses: false,
    async strike(server) {
      const struckAt = performance.now();
      await server.failOver();
      return struckAt;
    },
    after: renew,
  },
  freeze: {
    loses: false,
    async strike(server) {
      const struckAt = performance.now();
      server.freezePrimary();
      await server.failOver({ isFrozen: true });
      return struckAt;
    },
    async after(server) {
      server.thawPrevious();
      await sleep(THAWED_MS);
      await renew(server);
    },
  },
  terminate: {
    loses: false,
    async strike(server) {
      const struckAt = performance.now();
      await server.holdReplica();
      for (let n = 0; n < ENDED; n++) {
        await server.waiting();
        await server.endSessions();
      }
      await server.failOver();
      return struckAt;
    },
    after: renew,
  },
  replica: {
    loses: false,
    async strike(server) {
      await server.loseReplica();
      await sleep(WITHOUT_REPLICA_MS);
      await server.attach();
      return performance.now();
    },
    after: async () => undefined,
  },
  asynchronous: {
    loses: true,
    async strike(server) {
      await server.setSynchronous(false);
      await server.holdReplica();
      await sleep(LOST_MS);
      const struckAt = performance.now();
      await server.failOver();
      return struckAt;
    },
    after: renew,
  },
  restore: {
    loses: true,
    async strike(server) {
      await server.backUp();
      await sleep(LOST_MS);
      await server.restore();
      await server.attach();
      await server.setSynchronous(true);
      return performance.now();
    },
    after: async () => undefined,
  },
};
