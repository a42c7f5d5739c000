import { randomUUID } from 'node:crypto';
import type { Assignment, ClusterDirectory, EntryKind, Member, MemberState, ShardReport } from '../../cluster/directory.js';
import { messageOf } from '../../errors.js';
import { type Claim, type Claims, ClaimTaken } from '../../ports/claims.js';
import type { Logger } from '../../ports/logger.js';
import { Connection, UniqueKeyTaken } from './connection.js';
import { type DirectoryTables, directoryChannel, directoryTablesIn, prepareDirectory } from './directory-tables.js';
import { LEASE_MS } from './postgres-log.js';
import { prepare, tablesIn } from './schema.js';

export interface PostgresDirectoryOptions {
  readonly url: string;
  readonly schema: string;
  readonly leaseMs?: number;
  /** The number of shards; that of the tables if not given. */
  readonly shards?: number;
  /** This process, as the others call it. */
  readonly member: Omit<Member, 'id'>;
  readonly log: Logger;
}

/** How often changes are looked for, if no notification comes. */
const POLL_MS = 500;
const DEFAULT_SHARDS = 4;

interface EntryRow {
  readonly kind: string;
  readonly key: string;
  readonly shard: string;
  readonly version: string;
  readonly removed: boolean;
}

interface MemberRow {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  readonly draining: boolean;
  readonly left_ms: number;
  readonly reports: readonly ShardReport[];
}

interface LeaseRow {
  readonly shard: string;
  readonly owner: string;
  readonly epoch: string;
  readonly left_ms: number;
}

interface PlacementRow {
  readonly shard: string;
  readonly owner: string | null;
  readonly standby: string | null;
  readonly pinned: string | null;
}

/**
 * The directory of a cluster in tables of PostgreSQL. Each change of entries raises the version in one row, so changes become visible in
 * the order of their versions, and a process that reads those above its own version misses none.
 */
export class PostgresDirectory implements ClusterDirectory {
  readonly self: Member;
  readonly #options: PostgresDirectoryOptions;
  readonly #tables: DirectoryTables;
  readonly #leaseMs: number;
  /** Claims do not wait for reads. */
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #ear: Connection;
  readonly #entries = new Map<string, string>();
  readonly #tenants = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];
  #shards: readonly string[] = [];
  #version = 0;
  #members: readonly MemberState[] = [];
  #owners = new Map<string, { readonly id: string; readonly epoch: number; readonly until: number }>();
  #assignments: ReadonlyMap<string, Assignment> = new Map();
  #waiting: (() => void)[] = [];
  #seen = '';
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #isListening = false;
  #isStopped = false;

  constructor(options: PostgresDirectoryOptions) {
    this.#options = options;
    const { url, schema, leaseMs = LEASE_MS, member } = options;
    this.self = { ...member, id: randomUUID() };
    this.#leaseMs = leaseMs;
    this.#tables = directoryTablesIn(schema);
    const connection = { url, queryTimeoutMs: leaseMs / 2 };
    this.#writer = new Connection(connection);
    this.#reader = new Connection(connection);
    this.#ear = new Connection(connection, () => void this.catchUp().catch(() => undefined));
  }

  get shards(): readonly string[] {
    return this.#shards;
  }

  async start(): Promise<void> {
    await prepare(this.#writer, tablesIn(this.#tables.schema));
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

  shardOf(kind: EntryKind, key: string): string | undefined {
    return this.#entries.get(`${kind} ${key}`);
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
    const [fewest] = [...this.#shards].sort((a, b) => (this.#tenants.get(a) ?? 0) - (this.#tenants.get(b) ?? 0));
    if (account === undefined) return fewest!;
    try {
      await this.claimsOf(fewest!).claim([{ kind: 'account', key: account }]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
    }
    await this.catchUp();
    return this.shardOf('account', account)!;
  }

  ownerOf(shard: string): Member | undefined {
    const owner = this.#owners.get(shard);
    return owner && owner.until > performance.now() ? this.#members.find(({ id }) => id === owner.id) : undefined;
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
    return this.#members;
  }

  assignments(): ReadonlyMap<string, Assignment> {
    return this.#assignments;
  }

  epochOf(shard: string): number | undefined {
    return this.#owners.get(shard)?.epoch;
  }

  tenants(): ReadonlyMap<string, number> {
    return this.#tenants;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async report(reports: readonly ShardReport[]): Promise<void> {
    const { id, url, version } = this.self;
    await this.#writer.query({
      name: 'report',
      text: `
        insert into ${this.#tables.members} as known (id, url, version, draining, reports, until)
        values ($1, $2, $3, false, $4, clock_timestamp() + $5 * interval '1 ms')
        on conflict (id) do update set reports = excluded.reports, until = excluded.until`,
      values: [id, url, version, JSON.stringify(reports), this.#leaseMs],
    });
  }

  async assign(assignments: ReadonlyMap<string, Assignment>): Promise<void> {
    const rows = [...assignments];
    await this.#change({
      text: `
        insert into ${this.#tables.placement} as known (shard, owner, standby)
        select * from unnest($1::text[], $2::text[], $3::text[])
        on conflict (shard) do update set owner = excluded.owner, standby = excluded.standby`,
      values: [rows.map(([shard]) => shard), rows.map(([, { owner }]) => owner ?? null), rows.map(([, { standby }]) => standby ?? null)],
    });
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
    const { entries } = this.#tables;
    return {
      claim: (claims) => this.#claim(shard, claims),
      release: async (claims) => {
        await this.#changeEntries({
          text: `update ${entries} set removed = true, version = (select version from bumped)
            where not removed and shard = $1 and (kind, key) in (select * from unnest($2::text[], $3::text[]))`,
          values: [shard, claims.map(({ kind }) => kind), claims.map(({ key }) => key)],
        });
      },
      list: async () =>
        this.#writer.query<Claim>({ text: `select kind, key from ${entries} where shard = $1 and not removed`, values: [shard] }),
    };
  }

  /** If two shards claim a key simultaneously, the second insert violates the key of the table, and then finds the first. */
  async #claim(shard: string, claims: readonly Claim[]): Promise<void> {
    const { entries } = this.#tables;
    const values = [shard, claims.map(({ kind }) => kind), claims.map(({ key }) => key)];
    for (;;) {
      const existing = await this.#writer.query<EntryRow>({
        text: `select kind, key, shard from ${entries} where not removed and (kind, key) in (select * from unnest($1::text[], $2::text[]))`,
        values: values.slice(1),
      });
      const taken = existing.find((entry) => entry.shard !== shard);
      if (taken) throw new ClaimTaken({ kind: taken.kind as Claim['kind'], key: taken.key });
      if (existing.length === claims.length) return;
      try {
        await this.#changeEntries({
          text: `insert into ${entries} (kind, key, shard, version, removed)
            select wanted.kind, wanted.key, $1, bumped.version, false from unnest($2::text[], $3::text[]) as wanted (kind, key), bumped
            where not exists (select 1 from ${entries} known where not removed and known.kind = wanted.kind and known.key = wanted.key)`,
          values,
        });
        return;
      } catch (error) {
        if (!(error instanceof UniqueKeyTaken)) throw error;
      }
    }
  }

  /** Changes entries as `bumped.version`, and tells all processes, this one before the call ends. */
  async #changeEntries({ text, values }: { readonly text: string; readonly values: readonly unknown[] }): Promise<void> {
    await this.#change({
      text: `with bumped as (update ${this.#tables.head} set version = version + 1 returning version) ${text}`,
      values,
    });
    await this.catchUp();
  }

  async #change(statement: { readonly text: string; readonly values: readonly unknown[] }): Promise<void> {
    await this.#writer.query(statement);
    await this.#announce();
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
        `the database has ${count} shards, and this process wants ${wanted}: change the option, or the number of shards with posthorn data move`,
      );
    // As the log of a platform without a cluster, so that one can become a cluster.
    return count === 1 ? ['main'] : Array.from({ length: count }, (_, i) => `shard-${i + 1}`);
  }

  async #read(): Promise<void> {
    const { entries, members, leases, placement } = this.#tables;
    try {
      if (!this.#isListening) {
        await this.#ear.query({ text: `listen "${directoryChannel(this.#tables.schema)}"` });
        this.#isListening = true;
      } else if (!this.#ear.isConnected) this.#isListening = false;
      const askedAt = performance.now();
      const changes = await this.#reader.query<EntryRow>({
        name: 'entries',
        text: `select kind, key, shard, version, removed from ${entries} where version > $1 order by version`,
        values: [this.#version],
      });
      const live = await this.#reader.query<MemberRow>({
        name: 'members',
        text: `select id, url, version, draining, reports, (extract(epoch from until - clock_timestamp()) * 1000)::float as left_ms from ${members} where until > clock_timestamp() order by joined, id`,
      });
      const owners = await this.#reader.query<LeaseRow>({
        name: 'leases',
        text: `select shard, owner, epoch, (case when until = '-infinity' then 0 else extract(epoch from until - clock_timestamp()) * 1000 end)::float as left_ms from ${leases}`,
      });
      const placed = await this.#reader.query<PlacementRow>({
        name: 'placement',
        text: `select shard, owner, standby, pinned from ${placement}`,
      });
      this.#apply(changes);
      this.#members = live.map(({ draining, left_ms, ...member }) => ({
        ...member,
        isDraining: draining,
        isFresh: left_ms > this.#leaseMs / 2,
      }));
      this.#owners = new Map(
        owners.map(({ shard, owner, epoch, left_ms }) => [shard, { id: owner, epoch: Number(epoch), until: askedAt + left_ms }]),
      );
      this.#assignments = new Map(
        placed.map(({ shard, owner, standby, pinned }) => [
          shard,
          { owner: owner ?? undefined, standby: standby ?? undefined, pinned: pinned ?? undefined },
        ]),
      );
      if (this.#problem !== undefined) this.#options.log.info('the directory of the cluster can be read again');
      this.#problem = undefined;
    } catch (error) {
      if (this.#problem === undefined && !this.#isStopped) this.#options.log.warn('the directory of the cluster cannot be read', { error });
      this.#problem = messageOf(error);
      throw error;
    }
    this.#tellChange();
  }

  #apply(changes: readonly EntryRow[]): void {
    for (const { kind, key, shard, version, removed } of changes) {
      const name = `${kind} ${key}`;
      const isTenant = kind === 'number';
      const known = this.#entries.get(name);
      if (removed) {
        // A later entry of the same key may be in another shard.
        if (known === shard) this.#entries.delete(name);
      } else this.#entries.set(name, shard);
      if (isTenant && removed === (known !== undefined)) this.#tenants.set(shard, (this.#tenants.get(shard) ?? 0) + (removed ? -1 : 1));
      this.#version = Math.max(this.#version, Number(version));
    }
  }

  /** Reports of progress do not count as changes. */
  #tellChange(): void {
    const roles = this.#members.map(({ id, isDraining, reports }) => [
      id,
      isDraining,
      reports.map(({ shard, role }) => `${shard} ${role}`),
    ]);
    const seen = JSON.stringify([
      roles,
      [...this.#owners].map(([shard, { id, epoch, until }]) => [shard, id, epoch, until > performance.now()]),
      [...this.#assignments],
    ]);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
    for (const listen of this.#listeners) listen();
  }
}
