import type { Plugin } from '#core';
import type { PlatformOptions } from '../../core/platform/options.js';
import type { PlatformState } from '../../core/platform/platform-state.js';
import { DocumentDamaged } from '../../core/ports/store.js';
import { SimulatedCluster } from './cluster.js';
import { DeliveryBook } from './deliveries.js';
import { Disturbances } from './disturbances.js';
import { isExplained, isOfRot, type Rotten } from './error-lines.js';
import { FaultTimes } from './fault-times.js';
import { ADMIN_KEY, type Call, Machine, type Response } from './machine.js';
import { Network } from './network.js';
import type { Random } from './random.js';
import type { Receiver } from './receiver.js';
import type { FaultKind, Scenario } from './scenario.js';
import { World } from './world.js';

/** Options of platforms that features decide. */
export type FeatureOptions = Pick<PlatformOptions, 'deliveries' | 'mediaKeptDays'>;

/** A part of the workload. */
export interface Feature {
  readonly name: string;
  /** Its part of the operations of an hour, relative to those of other features. */
  readonly weight: number;
  /** The clusters in which its checks hold: `lossless`, if not given, where a fail-over of the database loses nothing that was acknowledged. */
  readonly clusters?: 'all' | 'lossless' | 'none';
  /** Options of the platforms. */
  readonly options?: FeatureOptions;
  /** Creates what it needs, before any fault. */
  setUp(run: Run, share: Share): Promise<Work>;
}

/** The share of a feature in a run. */
export interface Share {
  readonly random: Random;
  /** How many operations of an hour it should make. */
  readonly operations: number;
}

/** The work of a feature in a run. */
export interface Work {
  /** Starts its actors, which end when `run.isOver`. */
  begin(): void;
  /** Checks what it knows against what the platform says, once everything has settled. */
  check(): Promise<void>;
  /** Does something that is checked a day later; if it has anything to do then, the day passes in some runs. */
  prepareDay?(): Promise<void>;
  /** Checks what must be true after that day. */
  checkDay?(): Promise<void>;
  /** Checks what must be true after more than a week; if it has anything to check then, the week passes at the end of some runs. */
  checkWeek?(): Promise<void>;
}

export const HOUR_MS = 3_600_000;
/** Operations of an hour, of all features together. */
const OPERATIONS = 1_450;
/** The share of clusters with few operations: writes that wait for the database hide what an idle member does. */
const [QUIET, QUIET_OPERATIONS] = [1 / 3, 150];
const MINUTE_MS = 60_000;
/** Everything settles this long after the last fault: a delivery takes at most 170 s, a call waits less. */
const SETTLE_MS = 8 * MINUTE_MS;
/** How long faults continue after the workload has ended. */
const LAST_FAULTS_MS = 2 * MINUTE_MS;
export const START_LIMIT_MS = 10 * MINUTE_MS;
/** A supervisor starts a process that has ended again. */
const RESTART_MS = 3_000;
/** Starts in a row that may fail because of a fault that has ended meanwhile. */
const MOST_STARTS = 3;
const NAMES = ['one', 'two', 'three', 'four', 'five'];
/** How long after a fault a line with level `error` may be about it. */
const ERROR_MS = 30_000;
/** Faults of a machine in which one platform refuses calls. */
const UNAVAILABLE: readonly FaultKind[] = ['disk fails', 'disk full', 'orderly restart'];

/** The faults and checks of a run besides its workload. */
export interface Surroundings {
  /** Makes the faults of its scenario happen. */
  scheduleFaults(run: Run): void;
  /** Prepares the reads of each member of a cluster. */
  setUpRegisters(run: Run, shards: number): Promise<Work>;
  /** Checks what the platforms hold after everything has settled. */
  checkLeftovers(run: Run): Promise<void>;
  /** Checks what happens after the run. */
  checkLater(run: Run, works: readonly Work[]): Promise<void>;
}

/** The outcome of a scenario. */
export interface Outcome {
  readonly traceHash: string;
  /** The rules that were broken, in the order in which it was noticed. */
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly deliveries: number;
  readonly steps: number;
}

export const isDamage = (error: unknown): boolean => error instanceof Error && error.name === 'DataDamaged';

/** A run that ended before its time, because it had enough violations. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
}

const fits = ({ clusters = 'lossless' }: Feature, { cluster }: Scenario): boolean =>
  !cluster || clusters === 'all' || (clusters === 'lossless' && cluster.isSynchronous);

/** One simulation: the platforms, their surroundings, and the records for the checks. */
export class Run {
  readonly scenario: Scenario;
  readonly world: World;
  readonly network: Network;
  readonly machines: Machine[] = [];
  readonly receivers: Receiver[] = [];
  readonly deliveries: DeliveryBook;
  readonly faults: FaultTimes;
  readonly random: Random;
  readonly violations: string[] = [];
  rotten: Rotten | undefined;
  /** The run ends after this many. */
  mostViolations = 10;
  /** Operations that a platform has acknowledged. */
  acknowledged = 0;
  /** The workload has ended: actors stop after the operation in progress. */
  isOver = false;
  /** A call that has no response is not repeated any more. */
  isSettling = false;
  /** No fault begins any more. */
  isHealing = false;
  /** Everything has been checked. */
  isChecked = false;
  readonly cluster: SimulatedCluster | undefined;
  readonly plugins: readonly Plugin[];
  readonly #disturbances = new Disturbances();
  readonly #options: FeatureOptions;

  constructor(scenario: Scenario, plugins: readonly Plugin[], options: FeatureOptions = {}) {
    this.plugins = plugins;
    this.#options = options;
    this.scenario = scenario;
    this.world = new World(scenario.seed);
    this.random = this.world.random.stream('workload');
    this.faults = new FaultTimes(this.world);
    this.network = new Network(this.world);
    this.deliveries = new DeliveryBook(this);
    this.cluster = scenario.cluster && new SimulatedCluster(this, scenario.cluster);
    for (let i = 0; i < (scenario.cluster?.members ?? 1); i++) this.machines.push(this.#machine(NAMES[i]!, plugins));
  }

  /** How many settled deliveries the platforms keep; undefined for more than there are. */
  get keptDeliveries(): number | undefined {
    return this.#options.deliveries?.kept;
  }

  /** Runs the scenario with some features. */
  async run(features: readonly Feature[], { scheduleFaults, setUpRegisters, checkLeftovers, checkLater }: Surroundings): Promise<Outcome> {
    const { world, scenario } = this;
    for (const machine of this.machines) machine.start();
    await world.runUntil(START_LIMIT_MS, () => this.machines.every(({ isUp }) => isUp));
    if (!this.machines.every(({ isUp }) => isUp)) throw new Error('the platform does not start');
    this.cluster?.begin();
    const works = await this.outside(async () => {
      const set: Work[] = [];
      const fitting = features.filter((feature) => fits(feature, scenario));
      const named = fitting.filter(({ name }) => scenario.features.includes(name));
      const chosen = named.length > 0 ? named : fitting;
      const isQuiet = this.cluster !== undefined && world.random.stream('pace').chance(QUIET);
      const perHour = isQuiet ? QUIET_OPERATIONS : OPERATIONS;
      const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);
      for (const { name, weight, setUp } of chosen)
        set.push(await setUp(this, { random: world.random.stream(`feature ${name}`), operations: (perHour * weight) / weights }));
      if (scenario.cluster) set.push(await setUpRegisters(this, scenario.cluster.shards));
      return set;
    });
    const beganAt = world.now;
    scheduleFaults(this);
    world.schedule(world.outside, 0, () => {
      for (const work of works) work.begin();
    });
    const endsAt = scenario.hours * HOUR_MS;
    await world.runUntil(beganAt + endsAt);
    // Either the workload ends before the last faults, or it continues after them.
    if (scenario.faults.some(({ at }) => at > endsAt)) {
      this.isOver = true;
      await world.runUntil(world.now + LAST_FAULTS_MS);
    }
    this.#heal();
    await world.runUntil(world.now + SETTLE_MS / 2);
    this.isOver = true;
    this.isSettling = true;
    await world.runUntil(world.now + SETTLE_MS);
    if (!this.machines.every(({ isUp }) => isUp)) this.violated('a machine does not serve after all faults have ended');
    else
      await this.outside(async () => {
        await this.cluster?.check();
        for (const work of works) await work.check();
        this.deliveries.check();
        await this.#checkSettled();
        if (this.machines.length === 1) await checkLeftovers(this);
        if (!this.cluster || this.violations.length > 0) return;
        await this.cluster.changeOwners();
        for (const work of works) await work.check();
      });
    if (this.violations.length === 0 && this.machines.length === 1) await checkLater(this, works);
    this.isChecked = true;
    return this.outcome;
  }

  /** The outcome up to now. */
  get outcome(): Outcome {
    const { traceHash, steps } = this.world;
    return { traceHash, steps, violations: this.violations, acknowledged: this.acknowledged, deliveries: this.deliveries.count };
  }

  /** Notes that the platform broke a rule. The run ends after the most violations. */
  violated(what: string): void {
    this.world.trace('violation', what);
    this.violations.push(`${(this.world.now / 1_000).toFixed(3)} s: ${what}`);
    if (this.violations.length === this.mostViolations) this.world.fail(new RunEnded());
  }

  /** Makes a call over the network. Undefined when the caller does not learn what became of it. */
  async call(call: Call, machine: Machine = this.cluster?.chosen() ?? this.machines[0]!): Promise<Response | undefined> {
    const { world, network } = this;
    const link = network.link('callers', machine.name);
    const random = this.random;
    await world.sleep(call.latencyMs ?? random.between(link.latencyMs.min, link.latencyMs.max));
    if (random.chance(link.lostBefore)) return undefined;
    if (!call.isOnce && random.chance(link.repeated))
      world.schedule(
        world.outside,
        random.between(1, 5_000),
        () => void machine.serve(call).then((response) => this.#look(call, response)),
      );
    const response = await machine.serve(call);
    this.#look(call, response);
    await world.sleep(random.between(link.latencyMs.min, link.latencyMs.max));
    return random.chance(link.lostAfter) ? undefined : response;
  }

  /** Repeats a call until the platform has decided about it. Undefined when the workload ends before. */
  async decided(call: Call): Promise<Response | undefined> {
    for (let waitMs = 200; ; waitMs = Math.min(2 * waitMs, 20_000)) {
      const response = await this.call(call);
      if (response && response.status < 500) return response;
      if (this.rotten?.isColdPart && response && /damaged on disk/.test(JSON.stringify(response.body)))
        throw new DocumentDamaged(this.rotten.path, call.path);
      if (this.isSettling) return undefined;
      await this.world.sleep(this.random.between(waitMs / 2, waitMs));
    }
  }

  /** Repeats a call with an idempotency key until the platform has decided about it: 409 means that an earlier one is in progress. */
  async once(call: Call): Promise<Response | undefined> {
    for (;;) {
      const response = await this.decided(call);
      if (response?.status !== 409 || this.isSettling) return response;
      await this.world.sleep(1_000);
    }
  }

  /** A call of the operator that must succeed. @throws Error when it does not */
  // biome-ignore lint/suspicious/noExplicitAny: the workload reads any field
  async admin(method: string, path: string, body?: object): Promise<any> {
    const response = await this.decided({ method, path: `/admin/v1${path}`, token: ADMIN_KEY, ...(body && { body }) });
    if (!response || response.status >= 300)
      throw new Error(`${method} ${path} got ${response?.status}: ${JSON.stringify(response?.body)}`);
    return response.body;
  }

  /** Starts an actor, whose errors end the simulation. */
  actor(work: () => Promise<void>): void {
    this.world.schedule(this.world.outside, 0, () => void work().catch((error) => this.world.fail(error)));
  }

  /** Something is wrong with a machine or the database from now on, until it has recovered. */
  disturbed(about: object, kind?: FaultKind): void {
    this.#disturbances.began(about, this.world.now, kind);
  }

  /** A fault has ended. The store of a machine accepts writes again once an operator says so; a cluster finds its way by itself. */
  recovered(machine: object): void {
    this.actor(async () => {
      await this.cluster?.settled();
      if (this.cluster || !(machine instanceof Machine)) return this.#disturbances.ended(machine, this.world.now);
      const reopened = await machine.serve({ method: 'POST', path: '/admin/v1/store/reopen', token: ADMIN_KEY });
      // Another fault of the disk refuses it only if a write has met it.
      if (machine.isUp && !machine.disk.state.failing && reopened?.status === 200) this.#disturbances.ended(machine, this.world.now);
    });
  }

  /** Whether something was wrong with a machine at a time in a range, or shortly before it. @param kinds what, if that matters */
  wasDisturbed(from: number, to: number, kinds?: readonly FaultKind[]): boolean {
    return this.#disturbances.between(from, to, kinds).length > 0;
  }

  /** When the last disturbance in such a range has ended, `from` if there was none. */
  disturbedUntil(from: number, to: number): number {
    return Math.max(from, ...this.#disturbances.between(from, to).map((one) => one.to));
  }

  /** Whether the clocks of machines jump or drift. */
  get hasClockFaults(): boolean {
    return this.scenario.faults.some(({ kind }) => kind === 'clock jumps' || kind === 'clock drifts');
  }

  /** Whether the database of a cluster has lost a document with this id, and the cluster has reported it. */
  isReportedLost(id: string, acknowledgedAt: number): boolean {
    return this.cluster?.isReportedLost(id, acknowledgedAt) ?? false;
  }

  /** Whether the database of a cluster may have lost something that was acknowledged at a true time. */
  mayHaveLost(acknowledgedAt: number): boolean {
    return this.cluster?.mayHaveLost(acknowledgedAt) ?? false;
  }

  startWhenDown(machine: Machine): void {
    if (!machine.process) machine.start();
    else if (!machine.isUp || machine.isStopping) this.world.schedule(this.world.outside, RESTART_MS, () => this.startWhenDown(machine));
  }

  /** A machine that begins with the state of another platform. */
  copy(state: PlatformState): Machine {
    const machine = this.#machine('copy', this.plugins);
    machine.state = state;
    machine.start();
    return machine;
  }

  #machine(name: string, plugins: readonly Plugin[]): Machine {
    const machine = new Machine(this.world, this.network, name, { ...this.#options, plugins }, this.cluster?.compose);
    machine.onError = (line) => {
      if (isOfRot(line, this.rotten)) return;
      const { now } = this.world;
      if (!isExplained(line, this.wasDisturbed(now - ERROR_MS, now, this.cluster ? undefined : UNAVAILABLE), this.cluster !== undefined))
        this.violated(`logged: ${line.message} ${JSON.stringify(line.fields, (name, value) => (name === 'stack' ? undefined : value))}`);
    };
    let failedStarts = 0;
    machine.onUp = () => {
      failedStarts = 0;
      if (this.cluster) this.recovered(machine);
      // A disk may be full since before the start.
      else if (!machine.disk.state.failing) this.#disturbances.ended(machine, this.world.now);
    };
    machine.onStartFailed = (error) => {
      // A member of a cluster cannot start without its database.
      failedStarts = machine.disk.state.failing || this.cluster ? 0 : failedStarts + 1;
      // A disk that fails explains that it cannot be read, and never what it has.
      const isExpected = this.wasDisturbed(this.world.now, this.world.now) && failedStarts < MOST_STARTS && !isDamage(error);
      if (!isExpected) this.violated(`the platform does not start: ${error}`);
      this.world.schedule(this.world.outside, RESTART_MS, () => this.startWhenDown(machine));
    };
    return machine;
  }

  /** Runs a function outside while time passes. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    let done: { readonly value: T } | undefined;
    this.actor(async () => {
      done = { value: await work() };
    });
    await this.world.runUntil(this.world.now + HOUR_MS, () => done !== undefined);
    if (!done) throw new Error('the workload hangs');
    return done.value;
  }

  #heal(): void {
    this.isHealing = true;
    this.network.heal();
    for (const receiver of this.receivers) Object.assign(receiver, { trouble: undefined, slownessMs: 0 });
    this.cluster?.database.start();
    this.cluster?.database.releaseReplica();
    for (const machine of this.machines) {
      machine.disk.state.failing = undefined;
      machine.disk.strikeNoMore();
      this.startWhenDown(machine);
      this.recovered(machine);
    }
  }

  #look({ method, path }: Call, response: Response | undefined): void {
    if (!response) return;
    const { status, body } = response;
    if (status === 200 || status === 201) this.acknowledged++;
    const { now } = this.world;
    const isExplained = status === 503 && (this.cluster || this.wasDisturbed(now - ERROR_MS, now, UNAVAILABLE));
    const isOfRot = status === 503 && this.rotten?.isColdPart && /damaged on disk/.test(JSON.stringify(body));
    if (status >= 500 && !isExplained && !isOfRot) this.violated(`${method} ${path} got ${status}: ${JSON.stringify(body)}`);
  }

  async #checkSettled(): Promise<void> {
    for (const state of ['queued', 'sending', 'retry_wait']) {
      const { deliveries } = await this.admin('GET', `/deliveries?state=${state}`);
      for (const { uuid, webhook } of deliveries)
        this.violated(`delivery ${uuid} of webhook ${webhook} is ${state} after everything has settled`);
    }
  }
}
