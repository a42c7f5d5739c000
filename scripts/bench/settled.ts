// Bench: the cost of a delivery when the platform has settled a tenth, half, as many, or twice as many as it keeps
import { parseArgs } from 'node:util';
import { type Round, startSide } from './deliveries/sides.js';
import { Receiver } from './measuring/receiver.js';
import { alternate, ratioOf, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

/** Before the first round, as a share of `kept`. The first is nearly empty, but has run long enough for V8 to optimize its code. */
export const NEARLY_NONE = 0.1;
const SHARES = [NEARLY_NONE, 0.5, 1, 2];

export interface SettledLoad {
  readonly kept: number;
  readonly count: number;
  readonly rounds: number;
}

/** Makes `count` deliveries in each round. @returns the rounds of a platform for each share of `kept` that it has settled before */
export async function measureSettled(shares: readonly number[], { kept, count, rounds }: SettledLoad): Promise<Map<string, Round[]>> {
  const receiver = await Receiver.start();
  try {
    const sides = [];
    for (const share of shares) {
      const side = await startSide('posthorn', receiver, count, { history: { kept, settled: Math.round(share * kept) } });
      sides.push({ ...side, name: String(share) });
    }
    return await alternate(sides, rounds);
  } finally {
    await receiver.stop();
  }
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kept: { type: 'string', default: '100000' },
      deliveries: { type: 'string', default: '3000' },
      rounds: { type: 'string', default: '7' },
      /** With a fifth of the history. */
      quick: { type: 'boolean', default: false },
    },
  });
  const kept = Number(values.kept) / (values.quick ? 5 : 1);
  const [count, rounds] = [Number(values.deliveries), Number(values.rounds)];
  const measured = await measureSettled(SHARES, { kept, count, rounds });
  const [first] = measured.values();
  const us = (ms: number): string => ((ms / count) * 1000).toFixed(1);
  printTable(
    [`median of ${rounds} x ${count}, ${kept} kept`, 'main CPU us', 'of the first', 'min', 'max', 'CPU us', 'of the first', 'loop p99 ms'],
    [...measured].map(([share, all]) => {
      const main = ratioOf(all, first!, ({ mainMs }) => mainMs);
      return [
        `settled before: ${Number(share) * kept}`,
        us(spreadOf(all.map(({ mainMs }) => mainMs)).median),
        ...[main.median, main.min, main.max].map((ratio) => ratio.toFixed(2)),
        us(spreadOf(all.map(({ cpuMs }) => cpuMs)).median),
        ratioOf(all, first!, ({ cpuMs }) => cpuMs).median.toFixed(2),
        spreadOf(all.map(({ loopP99Ms }) => loopP99Ms)).median.toFixed(1),
      ];
    }),
  );
}

if (process.argv[1] === import.meta.filename) await run();
