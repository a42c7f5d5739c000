// Bench: several processes with their data in PostgreSQL, beside one with a data folder and beside pg-boss; --start N: start with N messages
import { parseArgs } from 'node:util';
import { noCpuFigures, treeMs } from './measuring/cpu.js';
import { Receiver } from './measuring/receiver.js';
import { inParallel, spreadOf } from './measuring/rounds.js';
import { median, printTable } from './measuring/table.js';
import { measureStart } from './scale/many-messages.js';
import { CALLERS, type ClusterSetup, type ClusterShape, type Setup, startCluster, startFile, startPgBoss } from './scale/setups.js';
import { type Database, startPostgres } from './stacks/databases.js';

/** One round of a setup. CPU times are NaN if the system does not report them. */
export interface Round {
  readonly acceptedMs: number;
  readonly deliveredMs: number;
  readonly cpuMs: number;
  readonly databaseMs: number;
}

export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** The rounds of the data folder, each directly before the round of this setup. */
  readonly file: readonly Round[];
}

/** The same call, to the owner of its shard and to another process. */
export interface Hop {
  readonly ownerMs: number;
  readonly otherMs: number;
  readonly owner: Round;
  readonly other: Round;
}

export interface ScaleLoad {
  readonly messages: number;
  readonly rounds: number;
}

const shapes: readonly ClusterShape[] = [
  { shards: 1, processes: 1 },
  { shards: 1, processes: 2 },
  { shards: 2, processes: 1 },
  { shards: 2, processes: 2 },
  { shards: 4, processes: 1 },
  { shards: 4, processes: 2 },
  { shards: 4, processes: 3 },
];
/** The setup in which the hop is measured. */
const HOP_SHAPE = shapes[3]!;
const HOP_CALLS = 200;
/** V8 optimizes the code of each process for itself. */
const WARM_UP_PER_PROCESS = 2_000;
const GOALS = { ofFile: 0.8, databaseShare: 0.25, twoToOne: 1.4 };

/** Posts messages to each setup in turns with the data folder, and measures the hop to the owner. */
export async function measureScale(load: ScaleLoad): Promise<{ measured: Measured[]; hop: Hop; version: string }> {
  const database = await startPostgres();
  const receiver = await Receiver.start();
  let first = 0;
  const round = async (setup: Setup, post = setup.post, count = load.messages): Promise<Round> => {
    const from = first;
    first += count;
    return roundOf({ setup, post, from, count, receiver, database });
  };
  const warmUp = (setup: Setup) => round(setup, setup.post, WARM_UP_PER_PROCESS * setup.pids.length);
  const besideFile = async (file: Setup, setup: Setup): Promise<Measured> => {
    const [files, rounds]: [Round[], Round[]] = [[], []];
    await warmUp(setup);
    for (let n = 0; n < load.rounds; n++) {
      files.push(await round(file));
      rounds.push(await round(setup));
    }
    return { name: setup.name, rounds, file: files };
  };
  try {
    const file = await startFile(receiver);
    try {
      await warmUp(file);
      const measured: Measured[] = [];
      let hop: Hop | undefined;
      for (const shape of shapes) {
        const cluster = await startCluster(receiver, database, shape);
        try {
          measured.push(await besideFile(file, cluster));
          if (shape === HOP_SHAPE) hop = await measureHop({ cluster, receiver, round, next: () => first++ });
        } finally {
          await cluster.stop();
        }
      }
      const boss = await startPgBoss(receiver, database);
      try {
        measured.push(await besideFile(file, boss));
      } finally {
        await boss.stop();
      }
      return { measured, hop: hop!, version: database.version };
    } finally {
      await file.stop();
    }
  } finally {
    await receiver.stop();
    await database.stop();
  }
}

interface RoundInput {
  readonly setup: Setup;
  readonly post: (n: number) => Promise<void>;
  readonly from: number;
  readonly count: number;
  readonly receiver: Receiver;
  readonly database: Database;
}

async function roundOf({ setup, post, from, count, receiver, database }: RoundInput): Promise<Round> {
  const cpu = (pids: readonly number[]): number => (noCpuFigures === undefined ? treeMs(pids) : Number.NaN);
  const target = (await receiver.count()) + count;
  const [ours, databases] = [cpu(setup.pids), cpu([database.pid])];
  const began = performance.now();
  let acceptedMs = 0;
  const accepted = inParallel(count, CALLERS, (n) => post(from + n)).then(() => {
    acceptedMs = performance.now() - began;
  });
  await Promise.all([accepted, receiver.reached(target)]);
  const deliveredMs = performance.now() - began;
  return { acceptedMs, deliveredMs, cpuMs: cpu(setup.pids) - ours, databaseMs: cpu([database.pid]) - databases };
}

interface HopInput {
  readonly cluster: ClusterSetup;
  readonly receiver: Receiver;
  readonly round: (setup: Setup, post?: Setup['post']) => Promise<Round>;
  /** The number of the next message. */
  readonly next: () => number;
}

async function measureHop({ cluster, receiver, round, next }: HopInput): Promise<Hop> {
  const delivered = (await receiver.count()) + 2 * HOP_CALLS;
  const times: { readonly owner: number[]; readonly other: number[] } = { owner: [], other: [] };
  const timed = async (list: number[], post: Setup['post']): Promise<void> => {
    const n = next();
    const began = performance.now();
    await post(n);
    list.push(performance.now() - began);
  };
  for (let i = 0; i < HOP_CALLS; i++) {
    await timed(times.owner, cluster.post);
    await timed(times.other, cluster.postElsewhere);
  }
  await receiver.reached(delivered);
  const owner = await round(cluster);
  const other = await round(cluster, cluster.postElsewhere);
  return { ownerMs: median(times.owner), otherMs: median(times.other), owner, other };
}

const verdict = (value: number, isMet: boolean): string => `${value.toFixed(2)} (${isMet ? 'met' : 'missed'})`;

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { messages: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '2' }, start: { type: 'string' } },
  });
  if (values.start !== undefined) return measureStart(Number(values.start));
  const [messages, rounds] = [Number(values.messages), Number(values.rounds)];
  const { measured, hop, version } = await measureScale({ messages, rounds });
  const rate = (read: (round: Round) => number, all: readonly Round[]): number =>
    spreadOf(all.map((round) => (messages / read(round)) * 1_000)).median;
  const us = (read: (round: Round) => number, all: readonly Round[]): number =>
    spreadOf(all.map((round) => (read(round) / messages) * 1_000)).median;
  const ofFile = ({ rounds, file }: Measured): number =>
    spreadOf(rounds.map(({ acceptedMs }, n) => file[n]!.acceptedMs / acceptedMs)).median;
  const cells = (name: string, all: readonly Round[], ratio: number): string[] => [
    name,
    rate(({ acceptedMs }) => acceptedMs, all).toFixed(0),
    rate(({ deliveredMs }) => deliveredMs, all).toFixed(0),
    ratio.toFixed(2),
    us(({ cpuMs }) => cpuMs, all).toFixed(0),
    us(({ databaseMs }) => databaseMs, all).toFixed(0),
    share(all).toFixed(2),
  ];
  const share = (all: readonly Round[]): number => us(({ databaseMs }) => databaseMs, all) / us(({ cpuMs }) => cpuMs, all);
  const files = measured.flatMap(({ file }) => file);
  printTable(
    [`median of ${rounds} x ${messages}`, 'accepted/s', 'delivered/s', 'of data folder', 'CPU us each', 'database us', 'database / ours'],
    [cells('data folder, 1 process', files, 1), ...measured.map((one) => cells(one.name, one.rounds, ofFile(one)))],
  );
  const of = (shape: ClusterShape): Measured => measured[shapes.indexOf(shape)]!;
  const [one, two] = [of(shapes[0]!), of(HOP_SHAPE)];
  console.log(
    `Hop to the owner: one caller ${hop.ownerMs.toFixed(2)} ms at the owner, ${hop.otherMs.toFixed(2)} ms at another process (medians of ` +
      `${HOP_CALLS} in turns); with ${CALLERS} callers ${rate(({ acceptedMs }) => acceptedMs, [hop.owner]).toFixed(0)} and ` +
      `${rate(({ acceptedMs }) => acceptedMs, [hop.other]).toFixed(0)} accepted/s, ${us(({ cpuMs }) => cpuMs, [hop.owner]).toFixed(0)} and ` +
      `${us(({ cpuMs }) => cpuMs, [hop.other]).toFixed(0)} us of CPU each.`,
  );
  console.log(`Goal: one shard >= ${GOALS.ofFile} of the data folder: ${verdict(ofFile(one), ofFile(one) >= GOALS.ofFile)}`);
  console.log(
    `Goal: CPU of the database / that of our processes <= ${GOALS.databaseShare}: ${verdict(share(one.rounds), share(one.rounds) <= GOALS.databaseShare)}`,
  );
  const twoToOne = ofFile(two) / ofFile(one);
  console.log(`Goal: 2 shards in 2 processes >= ${GOALS.twoToOne} of 1 in 1: ${verdict(twoToOne, twoToOne >= GOALS.twoToOne)}`);
  console.log(`${CALLERS} callers; each message is posted over HTTP, is durable before the response, and is delivered with a signature.`);
  console.log(`Calls go to the owner of the shard. CPU: of all our processes, standbys included. ${version}.`);
  if (noCpuFigures !== undefined) console.log(`CPU times were not measured: ${noCpuFigures}.`);
}

if (process.argv[1] === import.meta.filename) await run();
