import { Database, LONGEST_LAG_MS } from './database/server.js';
import type { FaultTimes } from './fault-times.js';
import { ADMIN_KEY, type Call, type Compose, type Machine, type Response } from './machine.js';
import { memberOf } from './members.js';
import type { Network } from './network.js';
import type { Random } from './random.js';
import type { ClusterScenario } from './scenario.js';
import type { World } from './world.js';

/** How often a load balancer asks the members whether they are ready, and how long it waits for the answer. */
const [PROBE_EVERY_MS, PROBE_LIMIT_MS] = [2_000, 1_000];
/** Others notice this long after a fault at most that a member lacks its lease. */
const LEASE_MS = 6_000;
const LOOK_MS = 1_000;
/** Members that have seen lost transactions report them within this time. */
const REPORTED_MS = 120_000;
/** A commit is acknowledged within this time, also to a caller who has to repeat its call. */
const ACKNOWLEDGED_MS = 60_000;
/** An operator looks at losses, and confirms them. */
const CONFIRM_EVERY_MS = 30_000;

interface Loss {
  readonly id: string;
  readonly complete: boolean;
  readonly confirmed: boolean;
  readonly documents: readonly { readonly collection: string; readonly unique?: Readonly<Record<string, readonly unknown[]>> }[];
}

/** A shard and a process as `GET /admin/v1/cluster` shows them. */
interface Shard {
  readonly owner: string | null;
  readonly lag: number | null;
  readonly pinned: string | null;
}

interface Process {
  readonly id: string;
  readonly draining: boolean;
}

/** The parts of a run that the cluster uses. */
interface ClusterDeps {
  readonly world: World;
  readonly network: Network;
  readonly machines: readonly Machine[];
  readonly random: Random;
  readonly isChecked: boolean;
  readonly faults: FaultTimes;
  actor(work: () => Promise<void>): void;
  call(call: Call): Promise<Response | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: as that of a run
  admin(method: string, path: string, body?: object): Promise<any>;
  violated(what: string): void;
}

/** The members of a cluster as one service: their database, a load balancer, and an operator who confirms losses. */
export class SimulatedCluster {
  readonly database: Database;
  readonly compose: Compose;
  readonly #run: ClusterDeps;
  readonly #ready = new Set<Machine>();
  #losses: readonly Loss[] = [];
  /** When the database has lost changes, and when the first of them was made: true times. */
  readonly #lost: { readonly at: number; readonly since: number }[] = [];

  constructor(run: ClusterDeps, { isSynchronous, shards, afterLoss }: ClusterScenario) {
    const { world, network, machines } = run;
    this.#run = run;
    this.database = new Database(world, network, { isSynchronous });
    this.compose = memberOf({ world, network, machines, shards, afterLoss, database: this.database });
  }

  begin(): void {
    for (const machine of this.#run.machines) this.#run.actor(() => this.#probe(machine));
    this.#run.actor(() => this.#confirmLosses());
  }

  /** A member that is ready, if the load balancer knows one. */
  chosen(): Machine {
    const { machines, random } = this.#run;
    const ready = machines.filter((machine) => this.#ready.has(machine));
    return random.pick(ready.length > 0 ? ready : machines);
  }

  /** Resolves when every member knows that every shard has an owner and a standby, which must be so soon after the last fault. */
  async settled(): Promise<void> {
    const { world, machines } = this.#run;
    await world.sleep(LEASE_MS);
    for (;;) {
      const known = await Promise.all(machines.map((machine) => this.#isSettled(machine)));
      if (known.every(Boolean)) return;
      if (this.#run.faults.isCalm) {
        const not = machines.filter((_, i) => !known[i]).map(({ name }) => name);
        return this.#run.violated(`the cluster does not settle after the last fault: ask ${not.join()} for GET /admin/v1/cluster`);
      }
      await world.sleep(LOOK_MS);
    }
  }

  /** Gives every shard another owner: its standby takes over, or all members end at the same time and read the database. */
  async changeOwners(): Promise<void> {
    const { world, machines, random } = this.#run;
    const changed = this.#run.faults.begin();
    if (random.chance(0.5)) {
      const { cluster } = await this.#run.admin('GET', '/cluster');
      for (const { shard, standby: process } of cluster.shards) await this.#run.admin('POST', '/cluster/moves', { shard, process });
    } else {
      for (const machine of machines) machine.crash('process');
      for (const machine of machines) machine.start();
      while (!machines.every(({ isUp }) => isUp)) await world.sleep(LOOK_MS);
    }
    changed();
    await this.settled();
  }

  /** Checks that the cluster has recovered from everything. */
  async check(): Promise<void> {
    await this.#readLosses();
    for (const machine of this.#run.machines)
      if (!(await this.#isSettled(machine)))
        this.#run.violated(`member ${machine.name} does not know an owner and a standby of each shard after everything has settled`);
  }

  /** The database has ended without its changes since a true time, if there were any. */
  lost(since: number | undefined): void {
    if (since !== undefined) this.#lost.push({ at: this.#run.world.now, since });
  }

  /** Whether the database has lost changes at a time in a range. */
  hasLost(from: number, to: number): boolean {
    return this.#lost.some(({ at }) => at >= from && at <= to);
  }

  /** Whether it may have lost something that was acknowledged at a true time. */
  mayHaveLost(acknowledgedAt: number): boolean {
    return this.#lossesOf(acknowledgedAt).length > 0;
  }

  /**
   * Whether a reported loss names a document with this value that was acknowledged at a true time, or tells that it does not know all. A process that ends has nothing to report
   * (plugins/cluster/database.md), so nothing may be known of changes that only such a process had seen.
   */
  isReportedLost(value: string, acknowledgedAt: number): boolean {
    const lost = this.#lossesOf(acknowledgedAt);
    if (lost.length === 0) return false;
    const { machines } = this.#run;
    const hasEnded = (at: number) =>
      machines.some(({ endedAt }) => endedAt.some((end) => end > at - LONGEST_LAG_MS && end < at + REPORTED_MS));
    return (
      lost.some(({ at }) => hasEnded(at)) ||
      this.#losses.some(
        ({ complete, documents }) =>
          !complete || documents.some(({ unique = {} }) => Object.values(unique).some((values) => values.includes(value))),
      )
    );
  }

  #lossesOf(acknowledgedAt: number) {
    return this.#lost.filter(({ at, since }) => at >= acknowledgedAt - ACKNOWLEDGED_MS && since <= acknowledgedAt);
  }

  async #readLosses(): Promise<void> {
    this.#losses = (await this.#run.admin('GET', '/store/losses')).losses;
  }

  async #isSettled(machine: Machine): Promise<boolean> {
    const { machines } = this.#run;
    const view = (await machine.serve({ method: 'GET', path: '/admin/v1/cluster', token: ADMIN_KEY }))?.body.cluster;
    return (
      view?.processes.length === machines.length &&
      view.shards.every(
        ({ owner, lag, pinned }: Shard) =>
          owner !== null &&
          lag !== null &&
          (owner === pinned || !view.processes.some(({ id, draining }: Process) => id === pinned && !draining)),
      )
    );
  }

  async #probe(machine: Machine): Promise<void> {
    const { world } = this.#run;
    for (; !this.#run.isChecked; await world.sleep(PROBE_EVERY_MS)) {
      let isOver = false;
      const answered = machine.serve({ method: 'GET', path: '/ready' }).then((response) => {
        if (isOver) return;
        isOver = true;
        this.#ready[response?.status === 200 ? 'add' : 'delete'](machine);
      });
      await Promise.race([answered, world.sleep(PROBE_LIMIT_MS)]);
      if (!isOver) this.#ready.delete(machine);
      isOver = true;
    }
  }

  async #confirmLosses(): Promise<void> {
    const { world } = this.#run;
    for (; !this.#run.isChecked; await world.sleep(CONFIRM_EVERY_MS)) {
      const response = await this.#run.call({ method: 'GET', path: '/admin/v1/store/losses', token: ADMIN_KEY });
      if (response?.status !== 200) continue;
      for (const { id, confirmed } of response.body.losses as Loss[])
        if (!confirmed)
          await this.#run.call({ method: 'PATCH', path: `/admin/v1/store/losses/${id}`, token: ADMIN_KEY, body: { confirmed: true } });
    }
  }
}
