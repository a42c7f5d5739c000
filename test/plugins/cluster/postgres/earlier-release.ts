import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Tap } from '../../../../core/testing/tap.js';
import type { TestDatabase } from './with-database.js';

/** The tables of 0.1.0, as it creates them. */
const tables = (schema: string): string => `
  create schema ${schema};
  create table ${schema}.log (shard text not null, first bigint not null, last bigint not null, epoch bigint not null, lines bytea not null,
    primary key (shard, first));
  alter table ${schema}.log alter column lines set storage external;
  create table ${schema}.leases (shard text primary key, owner text not null, epoch bigint not null, until timestamptz not null);
  create table ${schema}.snapshots (shard text not null, through bigint not null, writer uuid not null, parts integer not null,
    primary key (shard, through));
  create table ${schema}.snapshot_parts (shard text not null, through bigint not null, writer uuid not null, part integer not null,
    lines bytea not null, primary key (shard, through, writer, part));
  create table ${schema}.format (version integer not null);
  insert into ${schema}.format values (1);
  create table ${schema}.directory_head (one boolean primary key default true check (one), version bigint not null, shards integer);
  insert into ${schema}.directory_head (version) values (0);
  create table ${schema}.directory_entries (kind text not null, key text not null, shard text not null, version bigint not null,
    removed boolean not null);
  create unique index directory_entries_key on ${schema}.directory_entries (kind, key) where not removed;
  create index directory_entries_version on ${schema}.directory_entries (version);
  create table ${schema}.members (id text primary key, url text not null, version text not null, draining boolean not null,
    reports jsonb not null, joined timestamptz not null default clock_timestamp(), until timestamptz not null);
  create table ${schema}.leader (one boolean primary key default true check (one), id text not null, epoch bigint not null);
  create table ${schema}.placement (shard text primary key, owner text, standby text, pinned text);`;

/** A member of 0.1.0: its tables, and the statements with which it takes, renews and releases a shard, appends to it and joins a cluster. */
export async function earlierRelease(t: Tap, { url, schema }: Pick<TestDatabase, 'url' | 'schema'>, leaseMs: number) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const count = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rowCount ?? 0;
  const until = (ms: string) => `clock_timestamp() + ${ms} * interval '1 millisecond'`;
  return {
    createTables: () => client.query(tables(schema)).then(() => undefined),
    async take(shard: string, owner: string): Promise<number | undefined> {
      const { rows } = await client.query(
        `insert into ${schema}.leases as known (shard, owner, epoch, until)
         values ($1, $2, 1 + coalesce((select epoch from ${schema}.log where shard = $1 order by first desc limit 1), 0), ${until('$3')})
         on conflict (shard) do update
           set owner = excluded.owner, epoch = greatest(known.epoch + 1, excluded.epoch), until = excluded.until
           where known.until < clock_timestamp()
         returning epoch`,
        [shard, owner, leaseMs],
      );
      return rows[0] && Number(rows[0].epoch);
    },
    renew: async (shard: string, owner: string, epoch: number) =>
      (await count(`update ${schema}.leases set until = ${until('$4')} where shard = $1 and owner = $2 and epoch = $3`, [
        ...[shard, owner, epoch, leaseMs],
      ])) > 0,
    release: (shard: string, owner: string, epoch: number) =>
      count(`update ${schema}.leases set until = '-infinity' where shard = $1 and owner = $2 and epoch = $3`, [shard, owner, epoch]),
    /** The first append of an owner. */
    begin: (shard: string, epoch: number, { first, last, lines }: { first: number; last: number; lines: Uint8Array }) =>
      count(
        `insert into ${schema}.log (shard, first, last, epoch, lines) select $1, $2, $3, $4, $5
         where not exists (
           select 1 from (select last, epoch from ${schema}.log where shard = $1 order by first desc limit 1) newest
           where newest.last <> $2::bigint - 1 or newest.epoch >= $4)`,
        [shard, first, last, epoch, lines],
      ),
    append: (shard: string, epoch: number, { first, last, lines }: { first: number; last: number; lines: Uint8Array }) =>
      count(
        `insert into ${schema}.log (shard, first, last, epoch, lines) select $1, $2, $3, $4, $5
         where exists (
           select 1 from (select last, epoch from ${schema}.log where shard = $1 and first < $2 order by first desc limit 1) before
           where before.last = $2::bigint - 1 and before.epoch = $4)`,
        [shard, first, last, epoch, lines],
      ),
    /** The transactions that it reads. */
    async read(shard: string): Promise<string> {
      const { rows } = await client.query(`select lines from ${schema}.log where shard = $1 order by first`, [shard]);
      return Buffer.concat(rows.map(({ lines }) => lines)).toString();
    },
    /** @param parts lines of documents, with the number of the last transaction */
    async writeSnapshot(shard: string, through: number, parts: readonly Uint8Array[]): Promise<void> {
      const writer = randomUUID();
      for (const [i, lines] of parts.entries())
        await client.query(`insert into ${schema}.snapshot_parts (shard, through, writer, part, lines) values ($1, $2, $3, $4, $5)`, [
          ...[shard, through, writer, i + 1, lines],
        ]);
      await client.query(`insert into ${schema}.snapshots (shard, through, writer, parts) values ($1, $2, $3, $4)`, [
        ...[shard, through, writer, parts.length],
      ]);
    },
    /** The lines of the newest snapshot, as it reads them. */
    async readSnapshot(shard: string): Promise<string> {
      const { rows } = await client.query(
        `select through, writer, parts from ${schema}.snapshots where shard = $1
         and through <= coalesce((select last from ${schema}.log where shard = $1 order by first desc limit 1), through)
         order by through desc limit 1`,
        [shard],
      );
      const { through, writer, parts } = rows[0];
      let text = '';
      for (let part = 1; part <= parts; part++) {
        const found = await client.query(
          `select lines from ${schema}.snapshot_parts where shard = $1 and through = $2 and writer = $3 and part = $4`,
          [shard, through, writer, part],
        );
        if (!found.rows[0]) throw new Error(`part ${part} of ${parts} is missing`);
        text += found.rows[0].lines;
      }
      return text;
    },
    report: (id: string) =>
      count(
        `insert into ${schema}.members as known (id, url, version, draining, reports, until)
         values ($1, 'http://127.0.0.1:1', '0.1.0', false, $2, ${until('$3')})
         on conflict (id) do update set reports = excluded.reports, until = excluded.until`,
        [id, '[]', leaseMs],
      ),
    /** Its checks at the start. */
    formatOf: async () => (await client.query(`select version from ${schema}.format`)).rows[0].version as number,
  };
}
