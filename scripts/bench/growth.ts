// Bench: many messages, each delivered to a webhook: heap per message, start time, and the bytes that merges of the journal write
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Filled } from './growth/fill.js';
import { folderOnDisk } from './measuring/folders.js';
import { spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

export interface Growth extends Filled {
  /** Milliseconds of each start with the filled folder. */
  readonly starts: readonly number[];
  /** CPU time of each start as a ratio to that of parsing the JSON of the same files, in the same process. */
  readonly ofParsing: readonly number[];
  /** The lines about the progress that the slowest start logged. */
  readonly progress: number;
}

export interface GrowthLoad {
  readonly messages: number;
  readonly merges: number;
  readonly starts: number;
}

interface Opened {
  readonly ms: number;
  readonly cpuMs: number;
  readonly floorMs: number;
  readonly progress: number;
}

/** Fills a data folder, measures, and starts the platform with a copy of it several times after one start that is not counted. */
export function measureGrowth({ messages, merges, starts }: GrowthLoad): Growth {
  const folder = folderOnDisk();
  const script = (path: string, ...args: string[]): string =>
    execFileSync(process.execPath, ['--expose-gc', join(import.meta.dirname, path), ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
  try {
    mkdirSync(join(folder, 'data'));
    const filled = JSON.parse(script('growth/fill.js', folder, String(messages), String(merges))) as Filled;
    rmSync(join(folder, 'data'), { recursive: true });
    const opened = Array.from({ length: starts + 1 }, () => {
      const copy = join(folder, 'copy');
      rmSync(copy, { recursive: true, force: true });
      cpSync(join(folder, 'filled'), copy, { recursive: true });
      rmSync(join(copy, 'lock'), { force: true });
      return JSON.parse(script('limits/open.js', copy)) as Opened;
    }).slice(1);
    const slowest = opened.reduce((one, other) => (other.ms > one.ms ? other : one));
    return {
      ...filled,
      starts: opened.map(({ ms }) => ms),
      ofParsing: opened.map(({ cpuMs, floorMs }) => cpuMs / floorMs),
      progress: slowest.progress,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(): void {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '500000' },
      merges: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const [messages, merges, starts] = [Number(values.messages), Number(values.merges), Number(values.rounds)];
  const growth = measureGrowth({ messages, merges, starts });
  const [start, ofParsing] = [spreadOf(growth.starts), spreadOf(growth.ofParsing)];
  const rows = [
    ['heap per message, bytes', growth.heapPerMessage.toFixed(0)],
    ['disk per message, bytes', (growth.disk / messages).toFixed(0)],
    [`start, median of ${starts}, ms`, `${start.median.toFixed(0)} (${start.min.toFixed(0)} to ${start.max.toFixed(0)})`],
    [
      'CPU time of a start, of that to parse the same files',
      `${ofParsing.median.toFixed(2)} (${ofParsing.min.toFixed(2)} to ${ofParsing.max.toFixed(2)})`,
    ],
    ['progress lines of the slowest start', String(growth.progress)],
  ];
  if (growth.merges) {
    const { count, written, journal } = growth.merges;
    rows.push([`bytes written by ${count} merges per byte of journal`, (written / journal).toFixed(2)]);
  }
  printTable([`${messages} messages`, 'value'], rows);
}

if (process.argv[1] === import.meta.filename) run();
