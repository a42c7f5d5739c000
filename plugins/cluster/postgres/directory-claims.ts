import { type Claim, type ClaimKind, type Claims, ClaimTaken } from '../../../core/ports/claims.js';
import { LogUnreachable } from '../../../core/ports/log.js';
import { type Connection, UniqueKeyTaken } from './connection.js';
import type { DirectoryEntries } from './directory-entries.js';
import { type DirectoryTables, directoryChannel } from './directory-tables.js';

export interface DirectoryClaimsOptions {
  readonly shard: string;
  /** The name of this process in leases. If not given, claims take effect whichever process owns the shard. */
  readonly owner?: string;
  readonly connection: Connection;
  readonly tables: DirectoryTables;
  readonly entries: DirectoryEntries;
  readonly catchUp: () => Promise<void>;
}

const CLAIMS_PER_STATEMENT = 1_000;

/**
 * The claims of a shard in the tables of the directory. Each statement raises the version of the head first, which other changes wait for,
 * and takes effect only while the owner has its lease.
 */
export class DirectoryClaims implements Claims {
  readonly #options: DirectoryClaimsOptions;

  constructor(options: DirectoryClaimsOptions) {
    this.#options = options;
  }

  async claim(claims: readonly Claim[]): Promise<void> {
    for (let at = 0; at < claims.length; at += CLAIMS_PER_STATEMENT) await this.#claimBatch(claims.slice(at, at + CLAIMS_PER_STATEMENT));
    await this.#options.catchUp();
  }

  async release(claims: readonly Claim[]): Promise<void> {
    const { entries } = this.#options.tables;
    for (let at = 0; at < claims.length; at += CLAIMS_PER_STATEMENT)
      await this.#change(
        `update ${entries} known set removed = true, version = head.version from head, wanted, owner
         where known.kind = wanted.kind and known.key = wanted.key and known.shard = $1 and not known.removed returning 1`,
        claims.slice(at, at + CLAIMS_PER_STATEMENT),
      );
    await this.#options.catchUp();
  }

  async list(): Promise<readonly Claim[]> {
    await this.#options.catchUp();
    return this.#options.entries.claimsOf(this.#options.shard);
  }

  async #claimBatch(claims: readonly Claim[]): Promise<void> {
    const { shard, connection, tables } = this.#options;
    for (;;) {
      try {
        return await this.#change(
          `insert into ${tables.entries} (kind, key, shard, version, removed)
           select wanted.kind, wanted.key, $1, head.version, false from head, wanted, owner
           where not exists (
             select 1 from ${tables.entries} known
             where known.kind = wanted.kind and known.key = wanted.key and known.shard = $1 and not known.removed
           ) returning 1`,
          claims,
        );
      } catch (error) {
        if (!(error instanceof UniqueKeyTaken)) throw error;
        const [taken] = await connection.query<{ kind: ClaimKind; key: string }>({
          text: `
            select known.kind, known.key from ${tables.entries} known, ${WANTED}
            where known.kind = wanted.kind and known.key = wanted.key and known.shard <> $1 and not known.removed limit 1`,
          values: [shard, claims.map(({ kind }) => kind), claims.map(({ key }) => key)],
        });
        if (taken) throw new ClaimTaken(taken);
        // The shard that had it has released it meanwhile.
      }
    }
  }

  /** @throws LogUnreachable also when this process does not own the shard any more */
  async #change(change: string, claims: readonly Claim[]): Promise<void> {
    const { shard, owner, connection, tables } = this.#options;
    const [done] = await connection.query<{ owns: boolean }>({
      text: `
        with owner as (
          ${owner === undefined ? ANY_OWNER : `select 1 from ${tables.leases} where shard = $1 and owner = $4 and until > clock_timestamp() for share`}
        ), head as (
          update ${tables.head} set version = version + 1 returning version
        ), wanted as (
          select * from ${WANTED}
        ), changed as (${change})
        select exists (select 1 from owner) as owns, (select count(*) from changed) as changed, pg_notify($5, '')`,
      values: [shard, claims.map(({ kind }) => kind), claims.map(({ key }) => key), owner ?? null, directoryChannel(tables.schema)],
    });
    if (!done!.owns) throw new LogUnreachable(`another process owns ${shard}`);
  }
}

const ANY_OWNER = 'select 1 where $4::text is null';
const WANTED = 'unnest($2::text[], $3::text[]) as wanted(kind, key)';
