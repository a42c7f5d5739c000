import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentsIn, documentsInLogFiles, emptyCommit, Overlay, Tenure } from '../../../core/adapters/store/index.js';
import type { Lease, LogPosition } from '../../../core/ports/log.js';
import {
  type MovedDocument,
  type MovePlan,
  type MoveSource,
  type MoveTarget,
  PlaceInUse,
  TargetNotEmpty,
} from '../../../core/ports/move.js';
import { Connection } from './connection.js';
import { inOneOrder } from './delivery-order.js';
import { PostgresLog, type PostgresLogOptions } from './postgres-log.js';
import { prepare, type Tables, tablesIn } from './schema.js';
import { newestSnapshot, type StoredSnapshot } from './snapshot-tables.js';

/** The owner of shards that a move fills. Processes that start meanwhile wait as standbys, also when the move was interrupted. */
const MOVER = 'posthorn data move';
/** A move sends 256 KiB in one statement, over networks that may be slow. */
const QUERY_TIMEOUT_MS = 60_000;
const ROWS_PER_DELETION = 100;
const LOCK_WAIT_MS = 5_000;
const LOCK_LOOK_MS = 50;

interface ShardState {
  readonly shard: string;
  readonly lease: Lease;
  readonly tenure: Tenure;
  readonly overlay: Overlay;
  readonly snapshot: StoredSnapshot | undefined;
}

/** The documents of all shards in a schema. While it is open, this process owns the shards. */
export class DatabaseSource implements MoveSource {
  readonly name: string;
  readonly state: string;
  readonly through: number;
  readonly bytes: number;
  readonly shards: readonly string[];
  readonly #log: PostgresLog;
  readonly #tables: MovedTables;
  readonly #states: readonly ShardState[];

  private constructor(name: string, { log, tables, states, bytes }: Opened & { readonly bytes: number }) {
    [this.name, this.#log, this.#tables, this.#states] = [name, log, tables, states];
    this.shards = states.map(({ shard }) => shard);
    this.bytes = bytes;
    // Taking the shards adds transactions without changes; they do not count.
    this.through = Math.max(...states.map(({ overlay }) => overlay.lastChange));
    const positions = states.map(({ shard, snapshot, overlay }) => [shard, snapshot?.through, snapshot?.writer, overlay.lastChange]);
    this.state = createHash('sha256').update(JSON.stringify(positions)).digest('hex');
  }

  /** Takes over all shards. @throws PlaceInUse when another process owns one; Error when there is no data */
  static async open(name: string, options: PostgresLogOptions): Promise<DatabaseSource> {
    const log = new PostgresLog(options);
    const tables = new MovedTables(options);
    const opened: Opened = { log, tables, states: [] };
    try {
      await log.start();
      await tables.prepare();
      const shards = await tables.shards();
      if (shards.length === 0) throw new Error(`${name} has no data`);
      for (const shard of shards) opened.states.push(await takeShard(opened, shard));
      return new DatabaseSource(name, { ...opened, bytes: await tables.bytes() });
    } catch (error) {
      await closeAll(opened);
      throw error;
    }
  }

  async *documents(collections?: ReadonlySet<string>): AsyncGenerator<readonly MovedDocument[], void> {
    const seen = new Set<string>();
    const { length } = this.#states;
    for (const [i, { shard, overlay, snapshot }] of this.#states.entries()) {
      for await (const batch of overlay.over(this.#inSnapshot(shard, snapshot), collections)) {
        // Each shard has a copy of the documents of the whole installation; that of the first shard counts.
        const own = length === 1 ? batch : batch.filter(({ collection, key }) => isFirst(seen, `${collection}\0${key}`));
        yield length === 1 ? own : own.map((document) => inOneOrder(document, i, length));
      }
    }
  }

  async *#inSnapshot(shard: string, snapshot: StoredSnapshot | undefined): AsyncGenerator<readonly MovedDocument[], void> {
    if (snapshot?.files) yield* documentsInLogFiles(this.#log.files, shard, snapshot.files);
    else if (snapshot) for await (const lines of this.#tables.parts(shard, snapshot)) yield documentsIn(lines);
  }

  async confirm(): Promise<void> {
    for (const { shard, lease } of this.#states)
      if (!(await this.#tables.isHeld(lease))) throw new PlaceInUse(`another process has taken shard ${shard} during the move`);
  }

  close(): Promise<void> {
    return closeAll({ log: this.#log, tables: this.#tables, states: [...this.#states] });
  }
}

interface Opened {
  readonly log: PostgresLog;
  readonly tables: MovedTables;
  readonly states: ShardState[];
}

/** Takes a shard and fences its previous owner, so that it changes nothing after the read. */
async function takeShard({ log, tables }: Opened, shard: string): Promise<ShardState> {
  const [takenAt, { leaseMs }] = [performance.now(), log];
  const lease = await log.take(shard);
  if (!lease) throw new PlaceInUse(`a process uses shard ${shard} of the database, or did so a few seconds ago. Stop all processes first`);
  // `confirm` finds out whether the shard was lost. A late renewal does not matter if no other process took the shard meanwhile.
  const tenure = new Tenure({ log, lease, takenAt, leaseMs, onLost: () => undefined, onStale: () => undefined });
  const snapshot = await tables.newestSnapshot(shard);
  const overlay = new Overlay(Number(snapshot?.through ?? 0));
  let at: LogPosition = { tx: overlay.last, epoch: snapshot?.epoch ? Number(snapshot.epoch) : undefined };
  for (;;) {
    for await (const batch of log.read(shard, at))
      for (const lines of batch) {
        overlay.add(lines);
        at = { tx: lines.last, epoch: lines.epoch };
      }
    const tx = overlay.last + 1;
    const outcome = await log.begin(lease, at, { first: tx, last: tx, lines: emptyCommit(tx) });
    if (outcome === 'fenced') throw new PlaceInUse(`another process has taken shard ${shard}. Stop all processes first`);
    if (outcome === 'durable') return { shard, lease, tenure, overlay, snapshot };
  }
}

async function closeAll({ log, tables, states }: Opened): Promise<void> {
  for (const { lease, tenure } of states) {
    await tenure.end();
    // A lease that cannot be released ends by itself.
    await log.release(lease).catch(() => undefined);
  }
  await log.stop();
  await tables.close();
}

function isFirst(seen: Set<string>, place: string): boolean {
  if (seen.has(place)) return false;
  seen.add(place);
  return true;
}

/** The shards of a schema that a move fills. Their parts become snapshots when the move is complete. */
export class DatabaseTarget implements MoveTarget {
  readonly name: string;
  readonly #tables: MovedTables;
  /** The source, if it is the same schema: then its shards are replaced. */
  readonly #replaced: DatabaseSource | undefined;
  #plan: MovePlan | undefined;
  #writer = '';

  constructor(name: string, options: PostgresLogOptions, replaced?: DatabaseSource) {
    this.name = name;
    this.#tables = new MovedTables(options);
    this.#replaced = replaced;
  }

  async begin(plan: MovePlan): Promise<ReadonlyMap<string, number> | 'complete'> {
    this.#plan = plan;
    this.#writer = uuidOf(plan.id);
    await this.#tables.prepare();
    await this.#tables.lock();
    if (!this.#replaced) {
      if (await this.#tables.isFilledBy(this.#writer)) return 'complete';
      await this.#tables.reserve(plan.shards, this.name);
    }
    await this.#tables.deleteParts(this.#writer, false);
    return this.#tables.partsOf(this.#writer);
  }

  write(shard: string, part: number, lines: Uint8Array): Promise<void> {
    return this.#tables.addPart({ shard, through: this.#through, writer: this.#writer, part, lines });
  }

  async *read(shard: string): AsyncGenerator<readonly MovedDocument[], void> {
    const parts = (await this.#tables.partsOf(this.#writer)).get(shard) ?? 0;
    for await (const lines of this.#tables.parts(shard, { through: String(this.#through), writer: this.#writer, parts, epoch: null }))
      yield documentsIn(lines);
  }

  async publish(parts: ReadonlyMap<string, number>): Promise<void> {
    const shards = this.#plan!.shards.map((shard) => ({ shard, parts: parts.get(shard) ?? 0 }));
    if (this.#replaced) await this.#tables.clearDirectory();
    await this.#tables.publish({ shards, through: this.#through, writer: this.#writer, replaces: this.#replaced?.shards });
    if (this.#replaced) await this.#tables.deleteParts(this.#writer, false);
  }

  discard(): Promise<void> {
    return this.#tables.deleteParts(this.#writer, true);
  }

  close(): Promise<void> {
    return this.#tables.close();
  }

  /** After everything that the replaced shards contain, so that their logs and snapshots are older. */
  get #through(): number {
    return this.#plan!.through;
  }
}

/** The same id has the same writer, so that a repeated move finds its parts. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The statements of a move in the tables of a schema. */
class MovedTables {
  readonly #tables: Tables;
  readonly #connection: Connection;
  /** Whether the tables can store files of snapshots. */
  #hasFiles = false;
  /** Holds the lock against a second move; the lock ends with it. */
  readonly #guard: Connection;

  constructor({ servers, schema = 'posthorn' }: PostgresLogOptions) {
    this.#tables = tablesIn(schema);
    this.#connection = new Connection({ servers, queryTimeoutMs: () => QUERY_TIMEOUT_MS });
    this.#guard = new Connection({ servers, queryTimeoutMs: () => QUERY_TIMEOUT_MS });
  }

  async prepare(): Promise<void> {
    this.#hasFiles = await prepare(this.#connection, this.#tables);
  }

  async close(): Promise<void> {
    await Promise.all([this.#connection.close(), this.#guard.close()]);
  }

  /** @throws PlaceInUse while another move runs */
  async lock(): Promise<void> {
    // The server may notice late that the connection of a previous move has ended.
    for (const end = performance.now() + LOCK_WAIT_MS; ; await sleep(LOCK_LOOK_MS)) {
      const [row] = await this.#guard.query<{ ours: boolean }>({
        text: 'select pg_try_advisory_lock(hashtext($1)) as ours',
        values: [`${MOVER} ${this.#tables.schema}`],
      });
      if (row!.ours) return;
      if (performance.now() > end) throw new PlaceInUse('another move to this database is running');
    }
  }

  /** Whether no other process has taken the shard. */
  async isHeld({ shard, epoch }: Lease): Promise<boolean> {
    const text = `select 1 from ${this.#tables.leases} where shard = $1 and epoch = $2`;
    return (await this.#connection.query({ text, values: [shard, epoch] })).length > 0;
  }

  /** The shards with data. */
  async shards(): Promise<string[]> {
    const { log, snapshots } = this.#tables;
    const rows = await this.#connection.query<{ shard: string }>({
      text: `select shard from ${log} union select shard from ${snapshots} order by shard`,
    });
    return rows.map(({ shard }) => shard);
  }

  async bytes(): Promise<number> {
    const { log, snapshots, parts, files } = this.#tables;
    const [row] = await this.#connection.query<{ bytes: string }>({
      text: `
        select ${this.#hasFiles ? `coalesce((select sum(length(bytes)) from ${files}), 0) + ` : ''}coalesce((select sum(length(lines)) from ${log}), 0) + coalesce((
          select sum(length(lines)) from ${parts} join (select shard, max(through) as through from ${snapshots} group by shard) newest
            using (shard, through)), 0) as bytes`,
    });
    return Number(row!.bytes);
  }

  async newestSnapshot(shard: string): Promise<StoredSnapshot | undefined> {
    const [found] = await this.#connection.query<StoredSnapshot>({ text: newestSnapshot(this.#tables, this.#hasFiles), values: [shard] });
    return found;
  }

  async *parts(shard: string, { through, writer, parts }: StoredSnapshot): AsyncGenerator<Uint8Array, void> {
    for (let part = 1; part <= parts; part++) {
      const [found] = await this.#connection.query<{ lines: Buffer }>({
        name: 'moved part',
        text: `select lines from ${this.#tables.parts} where shard = $1 and through = $2 and writer = $3 and part = $4`,
        values: [shard, through, writer, part],
      });
      if (!found) throw new Error(`part ${part} of ${parts} of shard ${shard} is missing`);
      yield found.lines;
    }
  }

  async addPart({ shard, through, writer, part, lines }: NewPart): Promise<void> {
    await this.#connection.query({
      name: 'add part',
      // An attempt that was interrupted may have taken effect.
      text: `insert into ${this.#tables.parts} (shard, through, writer, part, lines) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      values: [shard, through, writer, part, lines],
    });
  }

  /** How many parts of each shard this writer has written. */
  async partsOf(writer: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#connection.query<{ shard: string; parts: number }>({
      text: `select shard, max(part) as parts from ${this.#tables.parts} where writer = $1 group by shard`,
      values: [writer],
    });
    return new Map(rows.map(({ shard, parts }) => [shard, parts]));
  }

  /** Whether a move of the same data was completed here, and nothing happened since. */
  async isFilledBy(writer: string): Promise<boolean> {
    const { log, snapshots } = this.#tables;
    const [row] = await this.#connection.query<{ complete: boolean }>({
      text: `select exists (select 1 from ${snapshots} where writer = $1) and not exists (select 1 from ${log}) as complete`,
      values: [writer],
    });
    return row!.complete;
  }

  /** Keeps processes from owning the shards until `publish`. @throws TargetNotEmpty, PlaceInUse */
  async reserve(shards: readonly string[], name: string): Promise<void> {
    const { leases } = this.#tables;
    const [filled] = await this.shards();
    if (filled !== undefined)
      throw new TargetNotEmpty(`${name} has data of its own, in shard ${filled}. Choose another database or schema`);
    const [used] = await this.#connection.query<{ shard: string }>({
      text: `select shard from ${leases} where owner <> $1 and until > clock_timestamp() limit 1`,
      values: [MOVER],
    });
    if (used) throw new PlaceInUse(`a process uses shard ${used.shard} of ${name}. Stop all processes first`);
    await this.#connection.query({
      text: `
        insert into ${leases} as known (shard, owner, epoch, until) select shard, $1, 1, 'infinity' from unnest($2::text[]) shard
        on conflict (shard) do update set owner = excluded.owner, epoch = known.epoch + 1, until = excluded.until`,
      values: [MOVER, shards],
    });
  }

  /** Deletes the parts of this writer, or those of all others that belong to no snapshot. */
  async deleteParts(writer: string, isOwn: boolean): Promise<void> {
    const { parts, snapshots } = this.#tables;
    const unused = `not exists (select 1 from ${snapshots} kept where kept.writer = ${parts}.writer)`;
    const where = `writer ${isOwn ? '=' : '<>'} $1 and ${unused}`;
    const text = `delete from ${parts} where ctid = any(array(select ctid from ${parts} where ${where} limit ${ROWS_PER_DELETION})) returning 1`;
    while ((await this.#connection.query({ text, values: [writer] })).length === ROWS_PER_DELETION);
  }

  /** Removes what a cluster's directory knows of the previous shards. Each shard adds its entries again when it starts. */
  async clearDirectory(): Promise<void> {
    for (const name of ['directory_head', 'directory_entries', 'placement']) {
      const table = `"${this.#tables.schema}"."${name}"`;
      const [found] = await this.#connection.query<{ there: boolean }>({
        text: 'select to_regclass($1) is not null as there',
        values: [table],
      });
      if (found!.there) await this.#connection.query({ text: `delete from ${table}` });
    }
  }

  /** In one statement, so that there is no moment with only some of the shards. */
  async publish({ shards, through, writer, replaces }: Publication): Promise<void> {
    const { log, leases, snapshots, files } = this.#tables;
    const added = `insert into ${snapshots} (shard, through, writer, parts)
      select shard, $1, $2, parts from unnest($3::text[], $4::integer[]) new (shard, parts) returning 1`;
    const values = [through, writer, shards.map(({ shard }) => shard), shards.map(({ parts }) => parts)];
    if (replaces)
      await this.#connection.query({
        text: `
          with lines as (delete from ${log} returning 1), old as (delete from ${snapshots} returning 1),
            ${this.#hasFiles ? `files as (delete from ${files} returning 1), ` : ''}gone as (delete from ${leases} where not shard = any($3) returning 1), new as (${added}) select count(*) from new`,
        values,
      });
    else
      await this.#connection.query({
        text: `with new as (${added}) update ${leases} set until = '-infinity' where owner = $5 and exists (select 1 from new)`,
        values: [...values, MOVER],
      });
  }
}

interface NewPart {
  readonly shard: string;
  readonly through: number;
  readonly writer: string;
  readonly part: number;
  readonly lines: Uint8Array;
}

interface Publication {
  readonly shards: readonly { readonly shard: string; readonly parts: number }[];
  readonly through: number;
  readonly writer: string;
  /** The shards that the new ones replace, if they are in the same schema. */
  readonly replaces: readonly string[] | undefined;
}
