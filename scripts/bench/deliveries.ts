// Bench: signed deliveries per second and their CPU cost, from the event to the receiver, as a ratio to a bare loop of POSTs
import { parseArgs } from 'node:util';
import type { Mode } from './deliveries/side-process.js';
import { type History, nameOf, type Round, startSide } from './deliveries/sides.js';
import { noCpuFigures } from './measuring/cpu.js';
import { Receiver } from './measuring/receiver.js';
import { alternate, ratioOf, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

const MANY_LANES = 'to 50 endpoints, in 1,000 conversations, over 64 connections';
const ONE_LANE = 'to one endpoint, in one conversation';

export interface DeliveryLoad {
  readonly count: number;
  readonly rounds: number;
  /** Of the platform with many conversations. */
  readonly history?: History;
  readonly execArgv?: readonly string[];
}

/** Sends `count` events from each side in each round. @returns the rounds of each side */
export async function measureDeliveries(
  modes: readonly Mode[],
  { count, rounds, history, execArgv = [] }: DeliveryLoad,
): Promise<Map<string, Round[]>> {
  const receiver = await Receiver.start();
  try {
    const sides = [];
    for (const mode of modes)
      sides.push(await startSide(mode, receiver, count, { execArgv, ...(mode === 'posthorn' && history && { history }) }));
    return await alternate(sides, rounds);
  } finally {
    await receiver.stop();
  }
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      /** Measure one webhook with one conversation, beside a loop that sends one after the other. */
      lane: { type: 'boolean', default: false },
      /** Measure only our platform, and write a CPU profile to this folder. */
      profile: { type: 'string' },
    },
  });
  const [count, rounds] = [Number(values.deliveries), Number(values.rounds)];
  const isProfile = values.profile !== undefined;
  const ours: Mode = values.lane ? 'lane' : 'posthorn';
  const floors: Mode[] = values.lane ? ['serial'] : ['floor', 'deadline', 'journal'];
  const modes: Mode[] = isProfile ? [ours] : [...floors, ours];
  const execArgv = isProfile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const measured = await measureDeliveries(modes, { count, rounds, execArgv });
  const us = (ms: number): string => ((ms / count) * 1000).toFixed(1);
  const [floor] = measured.values();
  printTable(
    [`median of ${rounds} x ${count}`, 'deliveries/s', 'min', 'max', 'of floor', 'main CPU us', 'of floor', 'CPU us', 'loop p99 ms'],
    [...measured].map(([mode, all]) => {
      const speed = spreadOf(all.map(({ ms }) => (count / ms) * 1000));
      return [
        nameOf(mode),
        ...[speed.median, speed.min, speed.max].map((rate) => rate.toFixed(0)),
        ratioOf(all, floor!, ({ ms }) => 1 / ms).median.toFixed(2),
        us(spreadOf(all.map(({ mainMs }) => mainMs)).median),
        ratioOf(all, floor!, ({ mainMs }) => mainMs).median.toFixed(2),
        us(spreadOf(all.map(({ cpuMs }) => cpuMs)).median),
        spreadOf(all.map(({ loopP99Ms }) => loopP99Ms)).median.toFixed(1),
      ];
    }),
  );
  console.log(`About 1 KB each, ${values.lane ? ONE_LANE : MANY_LANES}, without TLS. Each side makes the JSON of each event.`);
  console.log('A round ends when the receiver, a process of its own, has verified the signature of every delivery.');
  console.log('Main CPU: of the main thread; CPU: of the whole process. Both until the process is idle again.');
  if (noCpuFigures !== undefined) console.log(`CPU times were not measured: ${noCpuFigures}.`);
}

if (process.argv[1] === import.meta.filename) await run();
