import type { Connection } from './connection.js';
import { SETUP_TIMEOUT_MS, type Tables, tablesIn } from './schema.js';
import { loadDriver } from './servers.js';

/** The names of the tables of the directory, quoted. */
export interface DirectoryTables extends Pick<Tables, 'schema' | 'leases' | 'format' | 'losses'> {
  /** One row: the version of the newest change of entries. */
  readonly head: string;
  readonly entries: string;
  readonly members: string;
  /** One row: the process that assigns shards, and how often another one has become it. */
  readonly leader: string;
  readonly placement: string;
}

/** @throws TypeError when the name of the schema cannot be used */
export function directoryTablesIn(schema: string): DirectoryTables {
  const { leases, format, losses } = tablesIn(schema);
  const table = (name: string) => `"${schema}"."${name}"`;
  return {
    schema,
    leases,
    format,
    losses,
    head: table('directory_head'),
    entries: table('directory_entries'),
    members: table('members'),
    leader: table('leader'),
    placement: table('placement'),
  };
}

/** The channel on which changes of the directory are announced. */
export const directoryChannel = (schema: string): string => `${schema}_directory`;

/** Creates the tables of the directory that are missing, after those of the log. */
export async function prepareDirectory(
  connection: Connection,
  { schema, head, entries, members, leader, placement }: DirectoryTables,
): Promise<void> {
  await loadDriver();
  const [found] = await connection.query<{ there: boolean }>({
    text: 'select to_regclass($1) is not null as there',
    values: [leader],
    timeoutMs: SETUP_TIMEOUT_MS,
  });
  if (found?.there) return;
  await connection.query({
    timeoutMs: SETUP_TIMEOUT_MS,
    text: `
      select pg_advisory_xact_lock(hashtext('posthorn ${schema}'));
      create table if not exists ${head} (one boolean primary key default true check (one), version bigint not null, shards integer);
      insert into ${head} (version) values (0) on conflict do nothing;
      create table if not exists ${entries} (
        kind text not null,
        key text not null,
        shard text not null,
        version bigint not null,
        removed boolean not null
      );
      create unique index if not exists directory_entries_key on ${entries} (kind, key) where not removed;
      create index if not exists directory_entries_version on ${entries} (version);
      create table if not exists ${members} (
        id text primary key,
        url text not null,
        version text not null,
        draining boolean not null,
        reports jsonb not null,
        joined timestamptz not null default clock_timestamp(),
        until timestamptz not null
      );
      create table if not exists ${leader} (one boolean primary key default true check (one), id text not null, epoch bigint not null);
      create table if not exists ${placement} (shard text primary key, owner text, standby text, pinned text);`,
  });
}
