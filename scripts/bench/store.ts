// Bench: the store: writes compared with plain lowdb and SQLite, start-up, memory, and the pause of a compaction
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOnDisk } from './measuring/folders.js';
import { alternate } from './measuring/rounds.js';
import { median, printTable } from './measuring/table.js';
import { type BenchRecord, bytesOf, type Engine, openJsonStore, openLowdb, openSqlite, recordOf } from './store/engines.js';
import { measurePauses } from './store/pauses.js';

const SIZES = [100, 1_000, 10_000];
const WRITERS = [1, 16, 256];
const ROUNDS = 3;
const WINDOW_MS = 700;
const MANY = 100_000;

export interface WriteLoad {
  /** The number of records. */
  readonly size: number;
  readonly writers: number;
  readonly windowMs?: number;
}

/** Acknowledged writes per second of our store and of SQLite, in each round. @throws when SQLite cannot be installed */
export async function measureWrites(load: WriteLoad, rounds: number): Promise<{ readonly ours: number[]; readonly sqlite: number[] }> {
  const root = folderOnDisk();
  const newFolder = foldersIn(root);
  const opened: Engine[] = [];
  try {
    const sqlite = openSqlite(newFolder());
    opened.push(sqlite);
    const ours = await openJsonStore(newFolder());
    opened.push(ours);
    for (const engine of opened) await fill(engine, load.size);
    const rates = await ratesOf({ ours, sqlite }, load, rounds);
    return { ours: rates.get('ours')!, sqlite: rates.get('sqlite')! };
  } finally {
    for (const engine of opened) await engine.close();
    rmSync(root, { recursive: true });
  }
}

/** Writes per second of each engine in each round. The engines stay open. */
function ratesOf(engines: Readonly<Record<string, Engine>>, load: WriteLoad, rounds: number): Promise<Map<string, number[]>> {
  const sides = Object.entries(engines).map(([name, engine]) => ({
    name,
    round: () => writesPerSecond(engine, load),
    stop: async () => undefined,
  }));
  return alternate(sides, rounds);
}

/** Makes new folders below a folder. */
function foldersIn(root: string): () => string {
  let folders = 0;
  return () => {
    const folder = join(root, String(folders++));
    mkdirSync(folder);
    return folder;
  };
}

/** Acknowledged writes per second by a number of concurrent writers. */
async function writesPerSecond({ put }: Pick<Engine, 'put'>, { size, writers, windowMs = WINDOW_MS }: WriteLoad): Promise<number> {
  let acknowledged = 0;
  const began = performance.now();
  const until = began + windowMs;
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

async function compareWrites(newFolder: () => string): Promise<void> {
  const rows: string[][] = [];
  const abouts = new Set<string>();
  for (const size of SIZES) {
    const initial: BenchRecord[] = Array.from({ length: size }, (_, n) => recordOf(n));
    const [ours, lowdb, sqlite] = [await openJsonStore(newFolder()), await openLowdb(newFolder(), initial), openSqlite(newFolder())];
    await fill(ours, size);
    await fill(sqlite, size);
    for (const { about } of [ours, lowdb, sqlite]) abouts.add(about);
    for (const writers of WRITERS) {
      const rates = await ratesOf({ ours, lowdb, sqlite }, { size, writers }, ROUNDS);
      const [a, b, c] = [...rates.values()].map(median) as [number, number, number];
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
async function manyRecords(folder: string): Promise<string> {
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

async function run(): Promise<void> {
  // `npm run bench store writes` measures only that.
  const wanted = process.argv.slice(2);
  const wants = (part: string): boolean => wanted.length === 0 || wanted.includes(part);
  const root = folderOnDisk();
  const newFolder = foldersIn(root);
  try {
    if (wants('writes')) await compareWrites(newFolder);
    if (wants('start') || wants('compactions')) {
      const folder = await manyRecords(newFolder());
      if (wants('start')) await measureStart(folder);
      if (wants('compactions')) await measureCompactions(folder);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) await run();
