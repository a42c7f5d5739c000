// The measurements that the goals need; each gives the results of several goals.
import { measureAllocation, measureDisk, TEXT_OF_1_KB_EVENT } from '../allocation.js';
import type { CallName } from '../api/sides.js';
import { measureCalls } from '../api.js';
import { measureDeliveries } from '../deliveries.js';
import { measureGrowth } from '../growth.js';
import { noCpuFigures } from '../measuring/cpu.js';
import { ratioOf, type Spread, spreadOf } from '../measuring/rounds.js';
import { measureTurns } from '../simulation.js';
import { measureStacks } from '../stacks.js';
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
const GOAL_DELIVERIES = 100_000;

const figure = ({ median, min, max }: Spread, beside: string): Figure => ({ value: median, min, max, beside });
const rate = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(0)}/s`;
const us = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(0)} us`;
const needsCpu = (result: () => Result): Result => (noCpuFigures === undefined ? result() : { missing: noCpuFigures });

/** For the figures of one kind of call. */
const call = (goal: 'inbound' | 'send' | 'mark', name: CallName): Measurement => ({
  goals: [goal],
  async run({ requests, rounds }) {
    const measured = await measureCalls(name, ['ours', 'least', 'bare'], { requests, rounds });
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
    goals: ['deliveries', 'delivery-main'],
    async run({ deliveries, rounds }) {
      const measured = await measureDeliveries(['floor', 'journal', 'posthorn'], { count: deliveries, rounds });
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
    goals: ['stack-bullmq', 'stack-pg-boss'],
    async run({ events, rounds }) {
      if (noCpuFigures !== undefined) return { 'stack-bullmq': { missing: noCpuFigures }, 'stack-pg-boss': { missing: noCpuFigures } };
      const { rounds: measured, missing } = await measureStacks({ events, rounds });
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
      return { 'stack-bullmq': against('bullmq'), 'stack-pg-boss': against('pg-boss') };
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
];

/** A shorter start need not log its progress; see core/adapters/store/start-progress.ts. */
const PROGRESS_AFTER_S = 1.5;
