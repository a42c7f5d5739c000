import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogFile, LogRewound, type LogSnapshot, LogUnreachable } from '../../../core/ports/log.js';
import type { Connection, Statement } from './connection.js';
import type { Tables } from './schema.js';

/** Rows that one statement deletes: more would hold up appends. */
const ROWS_PER_DELETION = 100;
/** A statement of a snapshot that gets no response is sent up to 10 times, so that the whole snapshot need not be written again. */
const [ATTEMPTS, PAUSE_MS] = [10, 1_000];

/** The row of a complete snapshot. */
export interface StoredSnapshot {
  readonly through: string;
  readonly writer: string;
  readonly parts: number;
  /** That of its last transaction; null after a move, when no row of the log has it. */
  readonly epoch: string | null;
  /** Undefined in tables that cannot store files; null if the snapshot is lines. */
  readonly files?: readonly LogFile[] | null;
}

/** SQL: the newest snapshot of shard `$1`, and none that ends behind the log: that one has transactions which the log has lost. */
export const newestSnapshot = ({ snapshots, log }: Tables, hasFiles: boolean): string => `
  select through, writer, parts, (
    select epoch from ${log} where shard = $1 and first <= through and last >= through order by first desc limit 1
  ) as epoch${hasFiles ? ', files' : ''} from ${snapshots}
  where shard = $1 and through <= coalesce((select last from ${log} where shard = $1 order by first desc limit 1), through)
  order by through desc limit 1`;

/** Files of snapshots that are not listed any more are kept for as long: processes may be reading them. */
const KEPT_MINUTES = 10;

/** Snapshots of shards in two tables: their parts, and which of them are complete. */
export class SnapshotTables {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #stopping: AbortSignal;
  readonly #hasFiles: () => boolean;

  /** @param hasFiles whether the tables can store files */
  constructor(connection: Connection, tables: Tables, stopping: AbortSignal, hasFiles: () => boolean) {
    this.#connection = connection;
    this.#tables = tables;
    this.#stopping = stopping;
    this.#hasFiles = hasFiles;
  }

  /** The row of the newest snapshot. */
  async found(shard: string): Promise<StoredSnapshot | undefined> {
    const text = newestSnapshot(this.#tables, this.#hasFiles());
    return (await this.#connection.query<StoredSnapshot>({ text, values: [shard] }))[0];
  }

  async newest(shard: string): Promise<LogSnapshot | undefined> {
    const found = await this.found(shard);
    if (!found) return undefined;
    return {
      through: Number(found.through),
      epoch: found.epoch === null ? undefined : Number(found.epoch),
      parts: this.#read(shard, found),
    };
  }

  async *#read(shard: string, { through, writer, parts }: StoredSnapshot): AsyncGenerator<Buffer, void> {
    for (let part = 1; part <= parts; part++) {
      const [found] = await this.#connection.query<{ lines: Buffer }>({
        name: 'snapshot',
        text: `select lines from ${this.#tables.parts} where shard = $1 and through = $2 and writer = $3 and part = $4`,
        values: [shard, through, writer, part],
      });
      if (!found) throw new Error(`part ${part} of ${parts} of the snapshot of shard ${shard} through ${through} is missing`);
      yield found.lines;
    }
  }

  /** Stores a snapshot; readers find it when it is complete. Then removes what it and the snapshot before it make superfluous. */
  async write(shard: string, { through, epoch, parts }: LogSnapshot): Promise<void> {
    const { snapshots, log, parts: table } = this.#tables;
    const writer = randomUUID();
    let count = 0;
    for await (const lines of parts)
      await this.untilDone({
        text: `insert into ${table} (shard, through, writer, part, lines) values ($1, $2, $3, $4, $5) on conflict do nothing`,
        values: [shard, through, writer, ++count, lines],
      });
    // A database that has failed over meanwhile may lack the last transaction of the snapshot, or some of its parts.
    const [published] = await this.untilDone<{ there: boolean }>({
      text: `
        with there as (
          select 1 where exists (select 1 from ${log} where shard = $1 and first <= $2 and last >= $2 and epoch = coalesce($5, epoch))
            and (select count(*) from ${table} where shard = $1 and through = $2 and writer = $3) = $4
        ), added as (
          insert into ${snapshots} (shard, through, writer, parts) select $1, $2, $3, $4 from there on conflict do nothing
        ) select exists (select 1 from there) as there`,
      values: [shard, through, writer, count, epoch ?? null],
    });
    if (!published!.there) {
      await this.#deleteFrom(table, { where: 'shard = $1 and through = $2 and writer = $3', values: [shard, through, writer] });
      throw new LogRewound(`transaction ${through} of shard ${shard} or a part of its snapshot is not in the database any more`);
    }
    await this.tidy(shard);
  }

  /** For statements that may take effect twice. */
  async untilDone<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#connection.query<Row>(statement);
      } catch (error) {
        if (!(error instanceof LogUnreachable) || attempt === ATTEMPTS) throw error;
        await sleep(PAUSE_MS, undefined, { signal: this.#stopping });
      }
    }
  }

  /** Keeps the newest two snapshots, and the log from the last transaction of the older one: a process may be reading them. */
  async tidy(shard: string): Promise<void> {
    const { log, snapshots, parts } = this.#tables;
    const rows = await this.#connection.query<{ through: string }>({
      text: `select through from ${snapshots} where shard = $1 order by through desc limit 2`,
      values: [shard],
    });
    const [newest, previous] = rows.map(({ through }) => through);
    if (previous === undefined) return;
    const isOld = this.#hasFiles() ? ` and (files is null or at < clock_timestamp() - ${KEPT_MINUTES} * interval '1 minute')` : '';
    await this.#connection.query({ text: `delete from ${snapshots} where shard = $1 and through < $2${isOld}`, values: [shard, previous] });
    await this.#deleteFrom(parts, {
      // Also the parts of a writer that ended before its snapshot was complete.
      where: `shard = $1 and through < $2 and not exists (
        select 1 from ${snapshots} kept where kept.shard = $1 and kept.through = ${parts}.through and kept.writer = ${parts}.writer)`,
      values: [shard, newest],
    });
    // The owner's next append looks at the last row, so that one stays.
    await this.#deleteFrom(log, {
      where: `shard = $1 and last < $2 and first < (select max(first) from ${log} where shard = $1)`,
      values: [shard, previous],
    });
    if (this.#hasFiles()) await this.#tidyFiles(shard);
  }

  /** Removes files that no snapshot lists, also of another process that is writing them: it tries again, with this snapshot. */
  async #tidyFiles(shard: string): Promise<void> {
    const { snapshots, files } = this.#tables;
    const unlisted = await this.#connection.query<{ file: string }>({
      text: `
        select distinct file from ${files} where shard = $1 and not file in (
          select listed ->> 'id' from ${snapshots}, jsonb_array_elements(files) listed where shard = $1 and files is not null)`,
      values: [shard],
    });
    for (const { file } of unlisted) await this.#deleteFrom(files, { where: 'shard = $1 and file = $2', values: [shard, file] });
  }

  async #deleteFrom(table: string, { where, values }: { readonly where: string; readonly values: readonly unknown[] }): Promise<void> {
    const text = `delete from ${table} where ctid = any(array(select ctid from ${table} where ${where} limit ${ROWS_PER_DELETION})) returning 1`;
    while ((await this.#connection.query({ text, values })).length === ROWS_PER_DELETION);
  }
}
