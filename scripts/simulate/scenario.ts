import { Random } from './random.js';

const machineFaultKinds = [
  'power failure',
  'process killed',
  'orderly restart',
  'process paused',
  'disk slow',
  'disk fails',
  'disk full',
  'clock jumps',
  'clock drifts',
] as const;

/** The kinds of faults. `ms` of a fault is how long it lasts; a crash lasts until the machine starts again. */
export const faultKinds = [
  ...machineFaultKinds,
  'receiver refuses',
  'receiver fails',
  'receiver rejects',
  'receiver slow',
  'receiver unknown',
  'connections break before',
  'connections break after',
  'requests repeated',
  'bodies slow',
  'network cut',
  'callers cut off',
] as const;

/** Further kinds of faults of a cluster. */
export const clusterFaultKinds = [
  'member drained',
  'members cut off',
  'database cut off',
  'database connections break',
  'database slow',
  'database restarts',
  'database fails over',
  'replica cut off',
  'shard moved',
] as const;

export type FaultKind = (typeof faultKinds)[number] | (typeof clusterFaultKinds)[number];

/** One fault of a scenario. Every value is in it, so that a scenario without another fault does the same. */
export interface Fault {
  readonly kind: FaultKind;
  /** True milliseconds after the workload has begun; it may be later than its end. */
  readonly at: number;
  readonly ms: number;
  /** 0 to 1: how bad it is. */
  readonly strength: number;
  /** Chooses the machine or the receiver, modulo their number. */
  readonly target: number;
}

/** Several processes that share a database, instead of one platform. */
export interface ClusterScenario {
  readonly members: number;
  readonly shards: number;
  /** Whether commits wait for the replica of the database; otherwise a fail-over loses the newest. */
  readonly isSynchronous: boolean;
  readonly afterLoss: 'continue' | 'stop';
}

/** Everything that decides a run. */
export interface Scenario {
  readonly seed: string;
  readonly hours: number;
  /** Names of parts of the workload. */
  readonly features: readonly string[];
  readonly faults: readonly Fault[];
  readonly cluster?: ClusterScenario;
}

const HOUR_MS = 3_600_000;
const FAULTS_PER_HOUR = 14;
/** The share of scenarios whose faults come together, a few seconds apart, and how many such storms an hour has. */
const STORMY = 0.3;
const STORMS_PER_HOUR = 3;
const STORM_MS = 20_000;
/** The share of scenarios in which the machines crash again and again, and how often: few other faults hit the moment between two writes. */
const CRASHING = 0.1;
const CRASHES_PER_HOUR = 24;
/** The share of scenarios whose last faults happen after the workload has ended, when no new work wakes pending work. */
const QUIET = 0.5;
/** Receivers that fail then, so that deliveries wait. */
const LATE_RECEIVERS = 3;
const LATE_FAULTS = 2;
const LATE_MS = 90_000;
const CLUSTER_FAULTS_PER_HOUR = 40;
/** The longest duration of each kind; one minute if not given. */
const longest: Partial<Record<FaultKind, number>> = {
  'power failure': 90_000,
  'process killed': 20_000,
  'orderly restart': 20_000,
  'process paused': 30_000,
  'receiver refuses': 300_000,
  'receiver fails': 300_000,
  'receiver rejects': 300_000,
  'receiver slow': 120_000,
  'clock drifts': 1_200_000,
};

/**
 * The scenario of a seed: a random part of the kinds of faults and of the features, so that rare combinations are not hidden by common faults.
 * @param members how many processes run; if not given, the seed decides between one platform and a cluster
 */
export function scenarioOf(seed: string, hours: number, features: readonly string[], members?: number): Scenario {
  const random = new Random(`${seed}/scenario`);
  const cluster = clusterOf(seed, members);
  const share = random.pick([0.2, 0.5, 0.8]);
  const kinds: FaultKind[] = random.subset(faultKinds, share);
  if (cluster) kinds.push(...random.subset(clusterFaultKinds, share));
  const chosen = random.subset(features, 0.75);
  const faults: Fault[] = [];
  const count = kinds.length === 0 ? 0 : Math.round((cluster ? CLUSTER_FAULTS_PER_HOUR : FAULTS_PER_HOUR) * hours);
  const end = hours * HOUR_MS;
  const storms =
    random.chance(STORMY) && Array.from({ length: Math.ceil(STORMS_PER_HOUR * hours) }, () => random.unit() * (end - STORM_MS));
  for (let i = 0; i < count; i++) {
    const kind = random.pick(kinds);
    const ms = Math.round(random.between(50, longest[kind] ?? 60_000) * random.unit());
    faults.push({
      kind,
      at: Math.round(storms ? random.pick(storms) + STORM_MS * random.unit() : random.unit() * end),
      ms,
      strength: random.unit(),
      target: random.below(1_000),
    });
  }
  if (!cluster && random.chance(CRASHING)) faults.push(...crashes(random, hours));
  if (count > 0 && random.chance(QUIET)) faults.push(...lateFaults(random, end));
  faults.sort((a, b) => a.at - b.at);
  return { seed, hours, features: chosen.length > 0 ? chosen : [random.pick(features)], faults, ...(cluster && { cluster }) };
}

function crashes(random: Random, hours: number): Fault[] {
  return Array.from({ length: Math.round(CRASHES_PER_HOUR * hours) }, () => ({
    kind: random.pick(['power failure', 'process killed'] as const),
    at: Math.round(random.unit() * hours * HOUR_MS),
    ms: random.pick([2_000, 60_000]),
    strength: random.unit(),
    target: random.below(1_000),
  }));
}

/** Faults after the end of the workload, while deliveries wait for receivers that have failed. */
function lateFaults(random: Random, end: number): Fault[] {
  const fault = (kind: FaultKind, at: number, ms: number): Fault => ({
    kind,
    at: Math.round(at),
    ms,
    strength: random.unit(),
    target: random.below(1_000),
  });
  return [
    ...Array.from({ length: LATE_RECEIVERS }, () => fault('receiver fails', end - 20_000 * random.unit(), LATE_MS)),
    ...Array.from({ length: LATE_FAULTS }, () =>
      fault(random.pick(machineFaultKinds), end + LATE_MS * random.unit(), Math.round(20_000 * random.unit())),
    ),
  ];
}

const MEMBERS = 3;

function clusterOf(seed: string, given: number | undefined): ClusterScenario | undefined {
  const random = new Random(`${seed}/cluster`);
  const members = given ?? (random.chance(1 / 3) ? MEMBERS : 1);
  if (members === 1) return undefined;
  return { members, shards: random.pick([1, 2, 3]), isSynchronous: random.chance(0.5), afterLoss: random.pick(['continue', 'stop']) };
}
