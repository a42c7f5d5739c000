// Bench: inbound channel messages, sends and marks per second with a webhook, until all is delivered, as a ratio to bare hapi with the same validation
import { parseArgs } from 'node:util';
import { type CallName, calls, type Mode, modes, type Round, sideOf, startServer } from './api/sides.js';
import { noCpuFigures } from './measuring/cpu.js';
import { Receiver } from './measuring/receiver.js';
import { alternate, ratioOf, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

export interface ApiLoad {
  readonly requests: number;
  readonly rounds: number;
  readonly connections?: number;
  /** How many settled deliveries our platform keeps, and has before the first round. */
  readonly history?: number;
  readonly execArgv?: readonly string[];
}

/** Measures one kind of call; every server is new. @returns the rounds of each server */
export async function measureCalls(
  name: CallName,
  sides: readonly Mode[],
  { requests, rounds, connections = 32, history = 0, execArgv = [] }: ApiLoad,
): Promise<Map<string, Round[]>> {
  // Every mark needs another unread message, also in the warm-up round.
  const marks = name === 'mark' ? requests * (rounds + 1) : 0;
  const receiver = await Receiver.start();
  try {
    const started = [];
    for (const mode of sides) {
      const server = await startServer(mode, receiver, { marks, history, execArgv });
      started.push(sideOf(name, mode, server, receiver, { requests, connections }));
    }
    return await alternate(started, rounds);
  } finally {
    await receiver.stop();
  }
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      /** How many settled deliveries our platform keeps, and has before the first round. */
      history: { type: 'string', default: '0' },
      /** Measure only calls whose name contains this. */
      only: { type: 'string', default: '' },
      /** Measure only our platform, and write a CPU profile to this folder. */
      profile: { type: 'string' },
    },
  });
  const counts = [values.requests, values.rounds, values.connections, values.history].map(Number);
  const [requests, rounds, connections, history] = counts as [number, number, number, number];
  const isProfile = values.profile !== undefined;
  const sides = isProfile ? (['ours'] as const) : (Object.keys(modes) as Mode[]);
  const execArgv = isProfile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  const rows: string[][] = [];
  for (const name of (Object.keys(calls) as CallName[]).filter((name) => name.includes(values.only))) {
    const measured = await measureCalls(name, sides, { requests, rounds, connections, history, execArgv });
    const bare = measured.get('bare');
    for (const [mode, all] of measured) {
      const perSecond = spreadOf(all.map(({ ms }) => (requests / ms) * 1000));
      const us = (read: (round: Round) => number): string => ((spreadOf(all.map(read)).median / requests) * 1000).toFixed(0);
      const ratio = (read: (round: Round) => number): string => (bare && mode !== 'bare' ? ratioOf(all, bare, read).median.toFixed(2) : '');
      rows.push([
        `${name}, ${modes[mode as Mode]}`,
        ...[perSecond.median, perSecond.min, perSecond.max].map((rate) => rate.toFixed(0)),
        ratio(({ ms }) => 1 / ms),
        ratio(({ answeredMs }) => 1 / answeredMs),
        us(({ mainMs }) => mainMs),
        ratio(({ mainMs }) => 1 / mainMs),
        us(({ cpuMs }) => cpuMs),
      ]);
    }
  }
  printTable(
    [`median of ${rounds} x ${requests}`, 'per second', 'min', 'max', 'ratio', 'until answered', 'main CPU us', 'ratio', 'CPU us'],
    rows,
  );
  console.log(
    'Per second and the first ratio end when the receiver has verified the last delivery; `until answered` ends with the last response.',
  );
  console.log('The second ratio is that of the CPU times of the main threads: bare hapi / this server.');
  if (noCpuFigures !== undefined) console.log(`CPU times were not measured: ${noCpuFigures}.`);
}

if (process.argv[1] === import.meta.filename) await run();
