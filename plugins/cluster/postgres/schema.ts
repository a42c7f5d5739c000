import { LogUnreachable } from '../../../core/ports/log.js';
import type { Connection } from './connection.js';
import { loadDriver } from './servers.js';

/** The versions of the tables: that of new ones, and the newest one. A release refuses tables of a newer one. In version 2, snapshots may be files. */
const [FIRST_FORMAT, FORMAT] = [1, 2];
/** Nothing waits for the first statements of a process, and on a busy machine they take seconds. */
export const SETUP_TIMEOUT_MS = 30_000;
/** The role may not create or alter tables. */
const NO_PRIVILEGE = '42501';

/** The names of the tables, quoted. */
export interface Tables {
  readonly schema: string;
  readonly format: string;
  readonly log: string;
  readonly leases: string;
  readonly snapshots: string;
  /** The parts of snapshots. */
  readonly parts: string;
  /** The files of snapshots, in blocks. */
  readonly files: string;
  /** Transactions that vanished; see `LogLoss`. */
  readonly losses: string;
}

const NAME = /^[a-z_][a-z0-9_]{0,40}$/;

/** @throws TypeError when the name of the schema cannot be used */
export function tablesIn(schema: string): Tables {
  if (!NAME.test(schema)) throw new TypeError(`a schema is named in lower-case letters, digits and underscores, not ${schema}`);
  const table = (name: string) => `"${schema}"."${name}"`;
  return {
    schema,
    format: table('format'),
    log: table('log'),
    leases: table('leases'),
    snapshots: table('snapshots'),
    parts: table('snapshot_parts'),
    files: table('snapshot_files'),
    losses: table('losses'),
  };
}

/**
 * Creates the tables that are missing. A role that may not create tables can use those that another role has created.
 * @returns whether the tables have everything that this release stores. Those of 0.1.0 lack losses, the length of leases and files of snapshots,
 *   and a role that may not add them works without
 * @throws Error when the tables are those of a newer release, or the package pg is missing
 */
export async function prepare(connection: Connection, tables: Tables): Promise<boolean> {
  await loadDriver();
  const { schema, format, log, leases, snapshots, parts } = tables;
  const [found] = await connection.query<{ there: boolean }>({
    text: 'select to_regclass($1) is not null as there',
    values: [format],
    timeoutMs: SETUP_TIMEOUT_MS,
  });
  if (!found?.there)
    // One simple query is one transaction. The lock lets one process create the tables, and the others find them.
    await connection.query({
      timeoutMs: SETUP_TIMEOUT_MS,
      text: `
        select pg_advisory_xact_lock(hashtext('posthorn ${schema}'));
        create schema if not exists "${schema}";
        create table if not exists ${log} (
          shard text not null,
          first bigint not null,
          last bigint not null,
          epoch bigint not null,
          lines bytea not null,
          primary key (shard, first)
        );
        alter table ${log} alter column lines set storage external;
        create table if not exists ${leases} (
          shard text primary key,
          owner text not null,
          epoch bigint not null,
          until timestamptz not null
        );
        create table if not exists ${snapshots} (
          shard text not null,
          through bigint not null,
          writer uuid not null,
          parts integer not null,
          primary key (shard, through)
        );
        create table if not exists ${parts} (
          shard text not null,
          through bigint not null,
          writer uuid not null,
          part integer not null,
          lines bytea not null,
          primary key (shard, through, writer, part)
        );
        create table if not exists ${format} (version integer not null);
        insert into ${format} select ${FIRST_FORMAT} where not exists (select 1 from ${format});`,
    });
  const [stored] = await connection.query<{ version: number }>({ text: `select version from ${format}`, timeoutMs: SETUP_TIMEOUT_MS });
  if ((stored?.version ?? 0) > FORMAT)
    throw new Error(
      `the tables in schema ${schema} have format ${stored?.version}, and this release knows formats up to ${FORMAT}: use the newer release`,
    );
  return extended(connection, tables);
}

/** Adds what later releases of the same format store. Releases that do not know it ignore it. */
async function extended(connection: Connection, { schema, format, losses, snapshots, files }: Tables): Promise<boolean> {
  const isThere = async () => {
    const hasColumn = (table: string, column: string) =>
      `exists (select 1 from pg_attribute where attrelid = to_regclass(${table}) and attname = '${column}' and not attisdropped)`;
    const text = `select to_regclass($1) is not null and ${hasColumn('$2', 'late_at')} and to_regclass($3) is not null
      and ${hasColumn('$4', 'files')} as there`;
    const values = [losses, format, files, snapshots];
    const [found] = await connection.query<{ there: boolean }>({ text, values, timeoutMs: SETUP_TIMEOUT_MS });
    return found!.there;
  };
  if (await isThere()) return true;
  try {
    await connection.query({
      timeoutMs: SETUP_TIMEOUT_MS,
      text: `
        select pg_advisory_xact_lock(hashtext('posthorn ${schema}'));
        create table if not exists ${losses} (
          id text primary key,
          shard text not null,
          kept bigint not null,
          last bigint not null,
          acknowledged boolean not null,
          documents jsonb not null,
          complete boolean not null,
          found_at timestamptz not null default clock_timestamp(),
          confirmed_at timestamptz
        );
        alter table ${format} add column if not exists lease_ms integer, add column if not exists late_at timestamptz;
        create table if not exists ${files} (
          shard text not null,
          file text not null,
          block integer not null,
          bytes bytea not null,
          primary key (shard, file, block)
        );
        alter table ${files} alter column bytes set storage external;
        alter table ${snapshots} add column if not exists files jsonb,
          add column if not exists at timestamptz not null default clock_timestamp();`,
    });
    return true;
  } catch (error) {
    if (!(error instanceof LogUnreachable && (error.cause as { code?: unknown } | undefined)?.code === NO_PRIVILEGE)) throw error;
    return false;
  }
}
