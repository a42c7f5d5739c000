import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JSONFilePreset } from 'lowdb/node';
import type { Encryption } from '../../../core/adapters/encryption/file-cipher.js';
import { compaction, JsonStore } from '../../../core/adapters/store/index.js';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import { collection } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { required } from '../measuring/on-demand.js';

/** A storage engine under measurement. */
export interface Engine {
  /** Resolves when the record is acknowledged. */
  put(record: BenchRecord): Promise<void>;
  close(): Promise<void>;
  /** How durable its writes are. */
  readonly about: string;
}

export interface BenchRecord {
  readonly id: string;
  readonly group: number;
  readonly text: string;
}

export const recordOf = (n: number, version = 0): BenchRecord => ({
  id: `record-${String(n).padStart(7, '0')}`,
  group: n % 100,
  text: `${version} ${'abcdefghij'.repeat(96)}`,
});

export const records = collection<BenchRecord>({ key: 'id', indexes: { group: ['group'] } });

export async function openJsonStore(
  folder: string,
  encryption?: Encryption,
): Promise<Engine & { readonly store: JsonStore; readonly log: RecordingLogger }> {
  const pool = new PiscinaPool({ maxThreads: 1 });
  const log = new RecordingLogger();
  const store = new JsonStore({ folder, log, encryption, compact: (input) => pool.run(compaction, input) });
  store.define('bench.records', records);
  await store.start();
  return {
    store,
    log,
    about: 'journal, fdatasync before each acknowledgement, group-committed',
    put: (record) => store.transaction((tx) => tx.in(records).put(record)),
    async close() {
      await store.stop();
      await pool.stop();
    },
  };
}

export async function openLowdb(folder: string, initial: readonly BenchRecord[]): Promise<Engine> {
  const db = await JSONFilePreset(join(folder, 'db.json'), { records: Object.fromEntries(initial.map((record) => [record.id, record])) });
  await db.write();
  return {
    about: 'writes the complete file each time, no fsync',
    put: (record) => {
      db.data.records[record.id] = record;
      return db.write();
    },
    close: async () => undefined,
  };
}

/** The used part of `libsql`. */
interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown; get(): unknown };
  close(): void;
}

export function openSqlite(folder: string): Engine {
  const Database = required<new (file: string) => Sqlite>('libsql');
  const db = new Database(join(folder, 'bench.db'));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE records (id TEXT PRIMARY KEY, grouped INTEGER, json TEXT) WITHOUT ROWID');
  db.exec('CREATE INDEX by_group ON records (grouped, id)');
  const insert = db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?)');
  const pragma = (name: string): unknown => (db.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[name];
  return {
    about: `SQLite, journal_mode = ${pragma('journal_mode')}, synchronous = ${pragma('synchronous')} (2 is FULL)`,
    // Synchronous: the write is durable when the call returns.
    put: async (record) => void insert.run(record.id, record.group, JSON.stringify(record)),
    close: async () => void db.close(),
  };
}

/** Total bytes of the files of a folder with this suffix. */
export const bytesOf = (folder: string, ending: string): number =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
