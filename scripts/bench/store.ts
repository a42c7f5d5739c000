// Bench: the store: writes compared with plain lowdb and SQLite, start-up, memory, and the pause of a compaction
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measuring/table.js';
import { type BenchRecord, bytesOf, type Engine, openJsonStore, openLowdb, openSqlite, recordOf } from './store/engines.js';
import { measurePauses } from './store/pauses.js';

const SIZES = [100, 1_000, 10_000];
const WRITERS = [1, 16, 256];
const ROUNDS = 3;
const WINDOW_MS = 700;
const MANY = 100_000;

const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
let folders = 0;
const newFolder = (): string => {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  return folder;
};

/** Acknowledged writes per second by a number of concurrent writers. */
async function writesPerSecond({ put }: Pick<Engine, 'put'>, size: number, writers: number): Promise<number> {
  let acknowledged = 0;
  const began = performance.now();
  const until = began + WINDOW_MS;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = writer; performance.now() < until; n += writers) {
        await put(recordOf(n % size, n));
        acknowledged++;
      }
    }),
  );
  return acknowledged / ((performance.now() - began) / 1000);
}

async function fill({ put }: Engine, size: number): Promise<void> {
  for (let from = 0; from < size; from += 1_000) {
    await Promise.all(Array.from({ length: Math.min(1_000, size - from) }, (_, n) => put(recordOf(from + n))));
  }
}

async function compareWrites(): Promise<void> {
  const rows: string[][] = [];
  const abouts = new Set<string>();
  for (const size of SIZES) {
    const initial: BenchRecord[] = Array.from({ length: size }, (_, n) => recordOf(n));
    const [ours, lowdb, sqlite] = [await openJsonStore(newFolder()), await openLowdb(newFolder(), initial), openSqlite(newFolder())];
    await fill(ours, size);
    await fill(sqlite, size);
    for (const { about } of [ours, lowdb, sqlite]) abouts.add(about);
    for (const writers of WRITERS) {
      // The cases alternate in every round, so that machine load affects all of them alike.
      const rates: [number[], number[], number[]] = [[], [], []];
      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, engine] of [ours, lowdb, sqlite].entries()) rates[at]!.push(await writesPerSecond(engine, size, writers));
      }
      const [a, b, c] = rates.map(median) as [number, number, number];
      rows.push([
        `${size} records, ${writers} writers`,
        ...[a, b, c].map((rate) => rate.toFixed(0)),
        (a / b).toFixed(1),
        (a / c).toFixed(1),
      ]);
    }
    for (const engine of [ours, lowdb, sqlite]) await engine.close();
  }
  printTable([`acknowledged writes/s, 1 KB, median of ${ROUNDS}`, 'posthorn', 'lowdb', 'sqlite', '/ lowdb', '/ sqlite'], rows);
  for (const about of abouts) console.log(`  ${about}`);
}

/** A folder with many records in its snapshot. */
async function manyRecords(): Promise<string> {
  const folder = newFolder();
  const engine = await openJsonStore(folder);
  await fill(engine, MANY);
  await engine.store.compact();
  await engine.close();
  return folder;
}

async function measureStart(folder: string): Promise<void> {
  const child = fileURLToPath(new URL('./store/start-child.js', import.meta.url));
  const runs = Array.from({ length: 3 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', child, folder], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { ms: number; heap: number; rss: number; count: number };
  });
  const of = (what: (run: (typeof runs)[number]) => number): number => median(runs.map(what));
  printTable(
    [`start with ${runs[0]!.count} records of 1 KB, median of 3`, 'value'],
    [
      ['milliseconds', of(({ ms }) => ms).toFixed(0)],
      ['bytes of heap per record', of(({ heap, count }) => heap / count).toFixed(0)],
      ['bytes of memory (RSS) per record', of(({ rss, count }) => rss / count).toFixed(0)],
    ],
  );
}

async function measureCompactions(folder: string): Promise<void> {
  const engine = await openJsonStore(folder);
  const write = async (from: number, count: number) => {
    await Promise.all(Array.from({ length: count }, (_, n) => engine.put(recordOf((from + n) % MANY, from))));
  };
  const rows: string[][] = [];
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 5_000; n += 1_000) await write(round * 7_000 + n, 1_000);
    const idle = await measurePauses(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
    const merged = await measurePauses(() => engine.store.compact());
    rows.push([
      `compaction ${round + 1}`,
      ...[merged.ms, merged.maxWork, merged.work, merged.longest, idle.longest].map((ms) => ms.toFixed(1)),
    ]);
  }
  printTable([`main thread, ${MANY} records of 1 KB`, 'took, ms', 'longest work', 'all work', 'longest pause', 'pause when idle'], rows);

  let largest = 0;
  const watch = setInterval(() => {
    largest = Math.max(largest, bytesOf(folder, '.jsonl'));
  }, 20);
  let written = 0;
  const until = performance.now() + 8_000;
  for (let from = 0; performance.now() < until; from += 500, written += 500) await write(from, 500);
  clearInterval(watch);
  await engine.close();
  const MB = 1 << 20;
  printTable(
    ['under load, with automatic compactions', 'MiB'],
    [
      ['written', ((written * JSON.stringify(recordOf(0)).length) / MB).toFixed(0)],
      ['journal at its largest', (largest / MB).toFixed(0)],
      ['snapshots', (bytesOf(folder, '.records.json') / MB).toFixed(0)],
    ],
  );
  if (engine.log.lines.length > 0) console.log(engine.log.lines);
}

// `npm run bench store writes` measures only that.
const wanted = process.argv.slice(2);
const wants = (part: string): boolean => wanted.length === 0 || wanted.includes(part);
try {
  if (wants('writes')) await compareWrites();
  if (wants('start') || wants('compactions')) {
    const folder = await manyRecords();
    if (wants('start')) await measureStart(folder);
    if (wants('compactions')) await measureCompactions(folder);
  }
} finally {
  rmSync(root, { recursive: true });
}
