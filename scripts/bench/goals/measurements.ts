// The measurements that the goals need; each gives the results of several goals.

import { filesOf, type Walk, walks } from '../../walk/walks.js';
import { measureAllocation, measureDisk, TEXT_OF_1_KB_EVENT } from '../allocation.js';
import type { CallName } from '../api/sides.js';
import { measureCalls } from '../api.js';
import type { Round } from '../deliveries/sides.js';
import { measureDeliveries } from '../deliveries.js';
import { measureFlow, smallFlow } from '../flow-json.js';
import { measureGrowth } from '../growth.js';
import { noCpuFigures } from '../measuring/cpu.js';
import { ratioOf, type Spread, spreadOf } from '../measuring/rounds.js';
import { measureSettled, NEARLY_NONE } from '../settled.js';
import { measureTurns } from '../simulation.js';
import { measureStacks } from '../stacks.js';
import { measureImports } from '../start.js';
import { measureWrites } from '../store.js';
import type { Figure, GoalName, Result } from './goals.js';

/** How much is measured. */
export interface Size {
  readonly rounds: number;
  readonly deliveries: number;
  readonly events: number;
  readonly requests: number;
  readonly turnsMs: number;
  readonly allocating: number;
  readonly messages: number;
  readonly merges: number;
  /** How many deliveries a platform keeps and has settled before its first round, where that can slow it down. */
  readonly history: number;
  readonly inOneLane: number;
  readonly writesMs: number;
}

export type Results = Partial<Record<GoalName, Result>>;

export interface Measurement {
  readonly goals: readonly GoalName[];
  run(size: Size): Promise<Results>;
}

/** With fewer deliveries, the garbage that V8 has not reported yet is more than what they allocate. */
const LEAST_ALLOCATING = 2_000;
const KB = 1_000;
/** The goals of a start and of merges apply to this many messages. */
export const GOAL_MESSAGES = 500_000;
/** As many as a platform keeps by default. */
export const GOAL_DELIVERIES = 100_000;
/** In the store of the goal of writes. */
const RECORDS = 10_000;

const figure = ({ median, min, max }: Spread, beside: string): Figure => ({ value: median, min, max, beside });
const rate = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(0)}/s`;
const us = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(0)} us`;
const needsCpu = (result: () => Result): Result => (noCpuFigures === undefined ? result() : { missing: noCpuFigures });

/** The goals of whole stacks, each with the name of the other stack. */
const peers = {
  'stack-bullmq': 'bullmq',
  'stack-bullmq-hapi': 'bullmq behind hapi',
  'stack-pg-boss': 'pg-boss',
  'stack-outpost': 'outpost',
} satisfies Partial<Record<GoalName, string>>;

/** For the figures of one kind of call. */
const call = (goal: 'inbound' | 'send' | 'mark', name: CallName): Measurement => ({
  goals: [goal],
  async run({ requests, rounds, history }) {
    const measured = await measureCalls(name, ['ours', 'least', 'bare'], { requests, rounds, history });
    const [ours, least, bare] = [measured.get('ours')!, measured.get('least')!, measured.get('bare')!];
    const speed = (side: typeof ours) => rate(side.map(({ ms }) => (requests / ms) * 1000));
    const main = (side: typeof ours) => us(side.map(({ mainMs }) => (mainMs / requests) * 1000));
    const beside = [
      `bare hapi ${speed(bare)}`,
      `minimal durability ${speed(least)}`,
      `posthorn ${speed(ours)}`,
      ...(noCpuFigures === undefined ? [`main thread ${main(bare)} bare, ${main(ours)} posthorn`] : []),
    ].join('; ');
    return {
      [goal]: figure(
        ratioOf(ours, bare, ({ ms }) => 1 / ms),
        beside,
      ),
    };
  },
});

export const measurements: readonly Measurement[] = [
  {
    goals: ['files-message', 'files-simulation', 'files-refusal'],
    async run() {
      const { message, simulation, refusal } = walks();
      const files = (walk: Walk): Result => ({ value: filesOf(walk).length, beside: '`node scripts/run.mjs walk` lists them' });
      return { 'files-message': files(message), 'files-simulation': files(simulation), 'files-refusal': files(refusal) };
    },
  },
  {
    goals: ['deliveries', 'delivery-main'],
    async run({ deliveries, rounds, history }) {
      const full = { kept: history, settled: history };
      const measured = await measureDeliveries(['floor', 'journal', 'posthorn'], { count: deliveries, rounds, history: full });
      const [floor, journal, ours] = [measured.get('floor')!, measured.get('journal')!, measured.get('posthorn')!];
      const speed = (side: typeof ours) => rate(side.map(({ ms }) => (deliveries / ms) * 1000));
      const main = (side: typeof ours) => us(side.map(({ mainMs }) => (mainMs / deliveries) * 1000));
      const cpu = (side: typeof ours) => us(side.map(({ cpuMs }) => (cpuMs / deliveries) * 1000));
      return {
        deliveries: figure(
          ratioOf(ours, floor, ({ ms }) => 1 / ms),
          `floor ${speed(floor)}; file and loop ${speed(journal)}; posthorn ${speed(ours)}`,
        ),
        'delivery-main': needsCpu(() =>
          figure(
            ratioOf(ours, floor, ({ mainMs }) => mainMs),
            `floor ${main(floor)}, posthorn ${main(ours)}; whole processes ${cpu(floor)}, ${cpu(ours)}`,
          ),
        ),
      };
    },
  },
  {
    goals: ['lane'],
    async run({ inOneLane: count, rounds }) {
      const measured = await measureDeliveries(['serial', 'lane'], { count, rounds });
      const [floor, ours] = [measured.get('serial')!, measured.get('lane')!];
      const speed = (side: typeof ours) => rate(side.map(({ ms }) => (count / ms) * 1000));
      return {
        lane: figure(
          ratioOf(ours, floor, ({ ms }) => 1 / ms),
          `loop ${speed(floor)}; posthorn ${speed(ours)}`,
        ),
      };
    },
  },
  {
    goals: Object.keys(peers) as (keyof typeof peers)[],
    async run({ events, rounds, history }) {
      if (noCpuFigures !== undefined) return Object.fromEntries(Object.keys(peers).map((goal) => [goal, { missing: noCpuFigures }]));
      const { rounds: measured, missing } = await measureStacks({ events, rounds, history });
      const ours = measured.get('posthorn')!;
      const perCpuSecond = (side: typeof ours) => spreadOf(side.map(({ cpuMs }) => (events / cpuMs) * 1000)).median.toFixed(0);
      const against = (peer: string): Result => {
        const theirs = measured.get(peer);
        if (!theirs) return { missing: missing.get(peer)! };
        const beside = `${peer} ${perCpuSecond(theirs)}, posthorn ${perCpuSecond(ours)} per CPU-second`;
        return figure(
          ratioOf(ours, theirs, ({ cpuMs }) => 1 / cpuMs),
          beside,
        );
      };
      return Object.fromEntries(Object.entries(peers).map(([goal, peer]) => [goal, against(peer)]));
    },
  },
  call('inbound', 'inbound channel message'),
  call('send', 'send'),
  call('mark', 'mark'),
  {
    goals: ['allocated', 'disk'],
    async run({ allocating, requests, rounds }) {
      const { median, min, max } = spreadOf(await measureAllocation({ count: Math.max(allocating, LEAST_ALLOCATING), rounds }));
      const disk = await measureDisk({ count: requests, characters: TEXT_OF_1_KB_EVENT });
      return {
        allocated: { value: median / KB, min: min / KB, max: max / KB, beside: 'all threads of the process' },
        disk: { value: disk / KB, beside: `${requests} messages, before any compaction` },
      };
    },
  },
  {
    goals: ['settled'],
    async run({ history: kept, events, rounds }) {
      // The nearly empty platform must not settle as many as it keeps meanwhile.
      const count = Math.min(events, Math.ceil(kept / (3 * (rounds + 1))));
      const measured = await measureSettled([NEARLY_NONE, 2], { kept, count, rounds });
      const [few, twice] = [...measured.values()] as [Round[], Round[]];
      const main = (side: typeof few) => us(side.map(({ mainMs }) => (mainMs / count) * 1000));
      const processes = ratioOf(twice, few, ({ cpuMs }) => cpuMs).median.toFixed(2);
      return {
        settled: needsCpu(() => ({
          ...figure(
            ratioOf(twice, few, ({ mainMs }) => mainMs),
            `${main(few)} with a tenth of ${kept.toLocaleString('en')}, ${main(twice)} with twice as many; whole processes ${processes}`,
          ),
          ...(kept < GOAL_DELIVERIES && { at: `${kept.toLocaleString('en')} kept` }),
        })),
      };
    },
  },
  {
    goals: ['kept', 'start', 'merges'],
    async run({ messages, merges, rounds }) {
      const growth = measureGrowth({ messages, merges, starts: rounds });
      const { median, min, max } = spreadOf(growth.starts.map((ms) => ms / 1000));
      const count = `${messages.toLocaleString('en')} messages`;
      const scale = messages < GOAL_MESSAGES ? { at: count } : {};
      const isSilent = max > PROGRESS_AFTER_S && growth.progress === 0;
      return {
        kept: { value: growth.heapPerMessage / KB, beside: count },
        start: {
          ...{ value: median, min, max, ...scale },
          beside: `${count}, ${(growth.disk / 1e6).toFixed(0)} MB on disk, ${growth.progress} lines of progress`,
          ...(isSilent && { flaw: 'the start logged no progress' }),
        },
        merges: growth.merges
          ? { value: growth.merges.written / growth.merges.journal, ...scale, beside: `${count}, merges: ${growth.merges.count}` }
          : { missing: 'the system has no /proc/self/io' },
      };
    },
  },
  {
    goals: ['start-deliveries'],
    async run({ messages, rounds }) {
      const count = Math.min(messages, GOAL_DELIVERIES);
      const growth = measureGrowth({ messages: count, merges: 0, starts: rounds });
      const { median, min, max } = spreadOf(growth.starts.map((ms) => ms / 1000));
      const scale = count < GOAL_DELIVERIES ? { at: `${count.toLocaleString('en')} deliveries` } : {};
      const beside = `${(growth.disk / 1e6).toFixed(0)} MB on disk; ${spreadOf(growth.ofParsing).median.toFixed(1)} times the CPU time to parse them`;
      return { 'start-deliveries': { value: median, min, max, ...scale, beside } };
    },
  },
  {
    goals: ['simulation-1', 'simulation-16', 'simulation-256'],
    async run({ rounds, turnsMs }) {
      const turns = await measureTurns({ rounds, roundMs: turnsMs });
      return Object.fromEntries(
        turns.map(({ clients, bare, simulation }) => [
          `simulation-${clients}`,
          figure(
            ratioOf(simulation, bare, (perSecond) => perSecond),
            `bare route ${rate(bare)}; simulation ${rate(simulation)}`,
          ),
        ]),
      );
    },
  },
  {
    goals: ['writes'],
    async run({ writesMs, rounds }) {
      const { ours, sqlite } = await measureWrites({ size: RECORDS, writers: 1, windowMs: writesMs }, rounds);
      const beside = `SQLite ${rate(sqlite)}; posthorn ${rate(ours)}; ${RECORDS.toLocaleString('en')} records of 1 KB`;
      return {
        writes: figure(
          ratioOf(ours, sqlite, (perSecond) => perSecond),
          beside,
        ),
      };
    },
  },
  {
    goals: ['flow'],
    async run({ rounds }) {
      const measured = await measureFlow(smallFlow(), ['jsonc-parser', 'validateFlow'], rounds);
      const [parser, ours] = [measured.get('jsonc-parser')!, measured.get('validateFlow')!];
      return {
        flow: figure(
          ratioOf(ours, parser, (ms) => ms),
          `jsonc-parser ${us(parser.map((ms) => ms * 1000))}; validation ${us(ours.map((ms) => ms * 1000))}`,
        ),
      };
    },
  },
  {
    goals: ['import'],
    async run({ rounds }) {
      const { ours, hapi } = await measureImports(rounds);
      const ms = (values: readonly number[]) => `${spreadOf(values).median.toFixed(0)} ms`;
      return {
        import: figure(
          ratioOf(ours, hapi, (cost) => cost),
          `hapi ${ms(hapi)}; with the packed posthorn and three plugins ${ms(ours)}`,
        ),
      };
    },
  },
];

/** A shorter start need not log its progress; see core/adapters/store/start-progress.ts. */
const PROGRESS_AFTER_S = 1.5;
