import type { Assignment, MemberState, ShardReport } from '../directory.js';
import type { Connection } from './connection.js';
import type { DirectoryTables } from './directory-tables.js';
import { ownersBy } from './epochs.js';
import type { LeaseTerm } from './lease-term.js';

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

/** The process that assigns shards. */
interface Leader {
  readonly id: string;
  readonly epoch: string;
}

/** The owner of a shard, as of the newest look. */
interface Owner {
  readonly id: string;
  /** How many owners the shard has had. */
  readonly epoch: number;
  /** The end of its lease, by `performance.now`. */
  readonly until: number;
}

/** The processes, owners and assignments of a cluster in memory. */
export class DirectoryState {
  readonly #tables: DirectoryTables;
  readonly #term: LeaseTerm;
  #leader: Leader | undefined;
  #members: readonly MemberState[] = [];
  #owners: ReadonlyMap<string, Owner> = new Map();
  #assignments: ReadonlyMap<string, Assignment> = new Map();
  #seen = '';

  constructor(tables: DirectoryTables, term: LeaseTerm) {
    this.#tables = tables;
    this.#term = term;
  }

  /** Everything else that this object shows is at least as new. */
  get leader(): Leader | undefined {
    return this.#leader;
  }

  get members(): readonly MemberState[] {
    return this.#members;
  }

  get assignments(): ReadonlyMap<string, Assignment> {
    return this.#assignments;
  }

  ownerOf(shard: string): MemberState | undefined {
    const owner = this.#owners.get(shard);
    return owner && owner.until > performance.now() ? this.#members.find(({ id }) => id === owner.id) : undefined;
  }

  epochOf(shard: string): number | undefined {
    return this.#owners.get(shard)?.epoch;
  }

  /** @returns whether members, owners or assignments have changed since the last call; reports of progress do not count */
  async read(connection: Connection): Promise<boolean> {
    const { leader, members, leases, placement } = this.#tables;
    const askedAt = performance.now();
    const [leading] = await connection.query<Leader>({ name: 'leader', text: `select id, epoch from ${leader}` });
    const live = await connection.query<MemberRow>({
      name: 'members',
      text: `select id, url, version, draining, reports, (extract(epoch from until - clock_timestamp()) * 1000)::float as left_ms from ${members} where until > clock_timestamp() order by joined, id`,
    });
    const owners = await connection.query<LeaseRow>({
      name: 'leases',
      text: `select shard, owner, epoch, (case when until = '-infinity' then 0 else extract(epoch from until - clock_timestamp()) * 1000 end)::float as left_ms from ${leases}`,
    });
    const placed = await connection.query<PlacementRow>({
      name: 'placement',
      text: `select shard, owner, standby, pinned from ${placement}`,
    });
    this.#leader = leading;
    this.#members = live.map(({ draining, left_ms, ...member }) => ({
      ...member,
      isDraining: draining,
      isFresh: left_ms > this.#term.ms / 2,
    }));
    this.#owners = new Map(
      owners.map(({ shard, owner, epoch, left_ms }) => [shard, { id: owner, epoch: ownersBy(Number(epoch)), until: askedAt + left_ms }]),
    );
    this.#assignments = new Map(
      placed.map(({ shard, owner, standby, pinned }) => [
        shard,
        { owner: owner ?? undefined, standby: standby ?? undefined, pinned: pinned ?? undefined },
      ]),
    );
    return this.#hasChanged();
  }

  #hasChanged(): boolean {
    const roles = this.#members.map(({ id, isDraining, reports }) => [
      id,
      isDraining,
      reports.map(({ shard, role }) => `${shard} ${role}`),
    ]);
    const seen = JSON.stringify([
      this.#leader,
      roles,
      [...this.#owners].map(([shard, { id, epoch, until }]) => [shard, id, epoch, until > performance.now()]),
      [...this.#assignments],
    ]);
    const hasChanged = seen !== this.#seen;
    this.#seen = seen;
    return hasChanged;
  }
}
