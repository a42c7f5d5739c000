import { randomUUID } from 'node:crypto';
import type { Logger } from '#core/ports';
import { messageOf } from '../../../core/errors.js';
import { type Claims, ClaimTaken } from '../../../core/ports/claims.js';
import type { Assignment, ClusterDirectory, DatabaseCondition, EntryKind, Member, MemberState, ShardReport } from '../directory.js';
import { Connection } from './connection.js';
import { DirectoryClaims } from './directory-claims.js';
import { DirectoryEntries } from './directory-entries.js';
import { DirectoryState } from './directory-state.js';
import { type DirectoryTables, directoryChannel, directoryTablesIn, prepareDirectory } from './directory-tables.js';
import { agreeOnTerm, BEATS, type LeaseTerm } from './lease-term.js';
import { readOpenLosses } from './loss-table.js';
import { replicationProblem } from './replication.js';
import { prepare, tablesIn } from './schema.js';
import type { Servers } from './servers.js';

export interface PostgresDirectoryOptions {
  readonly servers: Servers;
  readonly schema: string;
  readonly term: LeaseTerm;
  /** The number of shards; that of the tables if not given. */
  readonly shards?: number;
  /** This process, as the others call it. */
  readonly member: Omit<Member, 'id'>;
  readonly log: Logger;
}

/** How often changes are looked for, if no notification comes. */
const POLL_MS = 500;
const DEFAULT_SHARDS = 4;
/** How often this process looks whether commits wait for a replica. */
const REPLICATION_EVERY_MS = 60_000;

/**
 * The directory of a cluster in tables of PostgreSQL. Each change of entries raises the version in one row, so changes become visible in
 * the order of their versions, and a process that reads those above its own version misses none.
 */
export class PostgresDirectory implements ClusterDirectory {
  readonly self: Member;
  readonly #options: PostgresDirectoryOptions;
  readonly #tables: DirectoryTables;
  readonly #term: LeaseTerm;
  /** Claims do not wait for reads. */
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #ear: Connection;
  readonly #entries = new DirectoryEntries();
  readonly #state: DirectoryState;
  readonly #listeners: (() => void)[] = [];
  #shards: readonly string[] = [];
  #waiting: (() => void)[] = [];
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #isListening = false;
  /** Whether the tables can store losses and the length of leases. */
  #isExtended = false;
  #lost: ReadonlyMap<string, number> = new Map();
  #replication: { readonly problem: string | undefined; readonly session: number; readonly at: number } | undefined;
  /** When the newest report was sent; undefined if it failed. */
  #reportedAt: number | undefined;
  #isStopped = false;

  constructor(options: PostgresDirectoryOptions) {
    this.#options = options;
    const { servers, schema, term, member } = options;
    this.self = { ...member, id: randomUUID() };
    this.#term = term;
    this.#tables = directoryTablesIn(schema);
    this.#state = new DirectoryState(this.#tables, term);
    const connection = { servers, queryTimeoutMs: () => term.ms / 2 };
    this.#writer = new Connection(connection);
    this.#reader = new Connection(connection);
    this.#ear = new Connection(connection, () => void this.catchUp().catch(() => undefined));
  }

  get shards(): readonly string[] {
    return this.#shards;
  }

  async start(): Promise<void> {
    this.#isExtended = await prepare(this.#writer, tablesIn(this.#tables.schema));
    await prepareDirectory(this.#writer, this.#tables);
    this.#shards = await this.#agreeOnShards();
    await this.report([]);
    await this.catchUp();
    this.#poll = setInterval(() => void this.catchUp().catch(() => undefined), POLL_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#poll);
    await this.#writer.query({ text: `delete from ${this.#tables.members} where id = $1`, values: [this.self.id] }).catch((error) => {
      this.#options.log.warn('this process could not be removed from the cluster; the others notice when its lease ends', { error });
    });
    await this.#announce().catch(() => undefined);
    this.#changed();
    await Promise.all([this.#writer.close(), this.#reader.close(), this.#ear.close()]);
  }

  problem(): string | undefined {
    return this.#problem;
  }

  get leaseMs(): number {
    return this.#term.ms;
  }

  condition(): DatabaseCondition {
    const { baseMs, lateMs } = this.#term;
    return { problem: this.#replication?.problem, baseLeaseMs: baseMs, lateMs, lost: this.#lost };
  }

  shardOf(kind: EntryKind, key: string): string | undefined {
    return this.#entries.shardOf(kind, key);
  }

  /** A call during a query waits for the next one, which sees all changes that were made before the call. */
  catchUp(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    if (!this.#reading) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    const reading = this.#reading;
    this.#next ??= reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.catchUp();
      });
    return this.#next;
  }

  async shardFor(account: string | undefined): Promise<string> {
    const known = account === undefined ? undefined : this.shardOf('account', account);
    if (known !== undefined) return known;
    const tenants = this.tenants();
    const [fewest] = [...this.#shards].sort((a, b) => (tenants.get(a) ?? 0) - (tenants.get(b) ?? 0));
    if (account === undefined) return fewest!;
    try {
      // The owner of the shard claims the account again with its first number, so this process need not be the owner.
      await this.#claimsOf(fewest!).claim([{ kind: 'account', key: account }]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
    }
    await this.catchUp();
    return this.shardOf('account', account)!;
  }

  ownerOf(shard: string): Member | undefined {
    return this.#state.ownerOf(shard);
  }

  ownerChanged(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  members(): readonly MemberState[] {
    return this.#state.members;
  }

  assignments(): ReadonlyMap<string, Assignment> {
    return this.#state.assignments;
  }

  epochOf(shard: string): number | undefined {
    return this.#state.epochOf(shard);
  }

  tenants(): ReadonlyMap<string, number> {
    return this.#entries.numbers;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async report(reports: readonly ShardReport[]): Promise<void> {
    const { id, url, version } = this.self;
    const sentAt = performance.now();
    const dueAt = this.#reportedAt === undefined ? sentAt : Math.min(sentAt, this.#reportedAt + this.#term.ms / BEATS);
    this.#reportedAt = undefined;
    await this.#writer.query({
      name: 'report',
      text: `
        insert into ${this.#tables.members} as known (id, url, version, draining, reports, until)
        values ($1, $2, $3, false, $4, clock_timestamp() + $5 * interval '1 ms')
        on conflict (id) do update set reports = excluded.reports, until = excluded.until`,
      values: [id, url, version, JSON.stringify(reports), this.#term.ms],
    });
    this.#reportedAt = sentAt;
    this.#term.late(performance.now() - dueAt);
  }

  get isLeader(): boolean {
    return this.#state.leader?.id === this.self.id;
  }

  async lead(): Promise<void> {
    const { leader, members } = this.#tables;
    await this.#change({
      text: `
        insert into ${leader} as known (id, epoch)
        select $1, 1 where $1 = (select id from ${members} where until > clock_timestamp() order by joined, id limit 1)
        on conflict (one) do update set id = excluded.id, epoch = known.epoch + 1 where known.id <> excluded.id`,
      values: [this.self.id],
    });
  }

  async assign(assignments: ReadonlyMap<string, Assignment>): Promise<boolean> {
    const { leader, placement } = this.#tables;
    const rows = [...assignments];
    const owners = rows.map(([, { owner }]) => owner ?? null);
    const standbys = rows.map(([, { standby }]) => standby ?? null);
    // A process that becomes the leader waits for the row, so nothing of this one comes after it.
    const stored = await this.#change({
      text: `
        with led as (select 1 from ${leader} where id = $4 and epoch = $5 for share)
        insert into ${placement} as known (shard, owner, standby)
        select * from unnest($1::text[], $2::text[], $3::text[]) where exists (select 1 from led)
        on conflict (shard) do update set owner = excluded.owner, standby = excluded.standby
        returning 1`,
      values: [rows.map(([shard]) => shard), owners, standbys, this.self.id, this.#state.leader?.epoch ?? null],
    });
    return stored.length > 0;
  }

  async pin(shard: string, member: string | undefined): Promise<void> {
    await this.#change({
      text: `insert into ${this.#tables.placement} (shard, pinned) values ($1, $2) on conflict (shard) do update set pinned = excluded.pinned`,
      values: [shard, member ?? null],
    });
  }

  async drain(member: string, isDraining: boolean): Promise<void> {
    await this.#change({ text: `update ${this.#tables.members} set draining = $2 where id = $1`, values: [member, isDraining] });
  }

  claimsOf(shard: string): Claims {
    return this.#claimsOf(shard, this.self.id);
  }

  #claimsOf(shard: string, owner?: string): Claims {
    return new DirectoryClaims({
      shard,
      connection: this.#writer,
      tables: this.#tables,
      entries: this.#entries,
      ...(owner !== undefined && { owner }),
      catchUp: () => this.catchUp(),
    });
  }

  async #change(statement: { readonly text: string; readonly values: readonly unknown[] }): Promise<readonly object[]> {
    const rows = await this.#writer.query(statement);
    await this.#announce();
    return rows;
  }

  async #announce(): Promise<void> {
    await this.#writer.query({ text: 'select pg_notify($1, $2)', values: [directoryChannel(this.#tables.schema), ''] });
  }

  async #agreeOnShards(): Promise<readonly string[]> {
    const { head } = this.#tables;
    const { shards: wanted } = this.#options;
    const text = `insert into ${head} as known (version, shards) values (0, $1)
      on conflict (one) do update set shards = coalesce(known.shards, excluded.shards) returning shards`;
    const [row] = await this.#writer.query<{ shards: number }>({ text, values: [wanted ?? DEFAULT_SHARDS] });
    const count = row!.shards;
    if (wanted !== undefined && wanted !== count)
      throw new Error(
        `the database has ${count} shards, and this process wants ${wanted}: change the option, or the number of shards with npx posthorn data move`,
      );
    // As the log of a platform without a cluster, so that one can become a cluster.
    return count === 1 ? ['main'] : Array.from({ length: count }, (_, i) => `shard-${i + 1}`);
  }

  async #read(): Promise<void> {
    let hasChanged: boolean;
    try {
      if (!this.#isListening) {
        await this.#ear.query({ text: `listen "${directoryChannel(this.#tables.schema)}"` });
        this.#isListening = true;
      } else if (!this.#ear.isConnected) this.#isListening = false;
      await this.#entries.readOn(this.#reader, this.#tables.entries);
      hasChanged = await this.#state.read(this.#reader);
      await this.#readCondition();
      if (this.#problem !== undefined) this.#options.log.info('the directory of the cluster can be read again');
      this.#problem = undefined;
    } catch (error) {
      if (this.#problem === undefined && !this.#isStopped) this.#options.log.warn('the directory of the cluster cannot be read', { error });
      this.#problem = messageOf(error);
      throw error;
    }
    if (hasChanged) this.#changed();
  }

  async #readCondition(): Promise<void> {
    const { log } = this.#options;
    if (this.#isExtended) {
      await agreeOnTerm(this.#reader, this.#tables, this.#term);
      const lost = await readOpenLosses(this.#reader, this.#tables);
      this.#lost = new Map(lost.map(({ shard, transactions }) => [shard, transactions]));
    }
    const { connections: session } = this.#reader;
    if (this.#replication?.session === session && performance.now() - this.#replication.at < REPLICATION_EVERY_MS) return;
    const problem = await replicationProblem(this.#reader);
    if (problem !== undefined && problem !== this.#replication?.problem) log.warn(problem);
    this.#replication = { problem, session, at: performance.now() };
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
    for (const listen of this.#listeners) listen();
  }
}
