import { type FoundSnapshot, LOG_BLOCK_BYTES, type LogFile, type LogFiles, LogRewound } from '../../../core/ports/log.js';
import type { Connection } from './connection.js';
import type { Tables } from './schema.js';
import type { SnapshotTables, StoredSnapshot } from './snapshot-tables.js';

/** The format of the tables in which snapshots may be files. */
const FILES_FORMAT = 2;
/** Ends the names of owners whose release reads such snapshots, outside clusters. */
export const READS_FILES = '+files';

export interface SnapshotFilesOptions {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly snapshots: SnapshotTables;
  /** Whether the tables can store files. */
  readonly hasTables: () => boolean;
  /** In a cluster: whether all its processes read files. If not given, the name of the owner tells. */
  readonly mayUseFiles: (() => boolean) | undefined;
}

/** Snapshots as files, in blocks, which are rows of a table. */
export class SnapshotFiles implements LogFiles {
  readonly #options: SnapshotFilesOptions;
  #mayBeUsed = false;

  constructor(options: SnapshotFilesOptions) {
    this.#options = options;
  }

  async mayBeUsed(shard: string): Promise<boolean> {
    const { connection, tables, hasTables, mayUseFiles } = this.#options;
    if (this.#mayBeUsed || !hasTables()) return this.#mayBeUsed;
    const { format, leases } = tables;
    // A release that cannot read files refuses to start with this format.
    const isEarlierOwner = `exists (select 1 from ${leases} where shard = $2 and until > clock_timestamp() and owner not like $3)`;
    if (mayUseFiles?.() ?? true)
      await connection.query({
        text: `update ${format} set version = $1 where version < $1${mayUseFiles ? '' : ` and not ${isEarlierOwner}`}`,
        values: mayUseFiles ? [FILES_FORMAT] : [FILES_FORMAT, shard, `%${READS_FILES}`],
      });
    const [stored] = await connection.query<{ version: number }>({ text: `select version from ${format}` });
    this.#mayBeUsed = stored!.version >= FILES_FORMAT;
    return this.#mayBeUsed;
  }

  async newest(shard: string): Promise<FoundSnapshot | undefined> {
    const found = await this.#options.snapshots.found(shard);
    return found && foundSnapshot(found);
  }

  async write(shard: string, id: string, block: number, bytes: Uint8Array): Promise<void> {
    await this.#options.snapshots.untilDone({
      name: 'write block',
      text: `insert into ${this.#options.tables.files} (shard, file, block, bytes) values ($1, $2, $3, $4) on conflict do nothing`,
      values: [shard, id, block, bytes],
    });
  }

  async read(shard: string, id: string, position: number, bytes: number): Promise<Uint8Array> {
    const first = Math.floor(position / LOG_BLOCK_BYTES);
    const last = Math.floor((position + bytes - 1) / LOG_BLOCK_BYTES);
    const start = position - first * LOG_BLOCK_BYTES;
    // The values of the table are stored as they are, so the server reads only these bytes of a block.
    const rows = await this.#options.connection.query<{ block: number; bytes: Buffer }>({
      name: 'read blocks',
      text: `
        select block, case when block = $3 then substring(bytes from $5 for $6) else substring(bytes for $6) end as bytes
        from ${this.#options.tables.files} where shard = $1 and file = $2 and block between $3 and $4 order by block`,
      values: [shard, id, first, last, start + 1, bytes],
    });
    const found: Buffer[] = [];
    for (const [i, row] of rows.entries()) {
      const isWhole = row.block === first + i && (i === 0 || found[i - 1]!.length === LOG_BLOCK_BYTES - (i === 1 ? start : 0));
      if (!isWhole) break;
      found.push(row.bytes);
    }
    return Buffer.concat(found).subarray(0, bytes);
  }

  async publish(
    shard: string,
    { id, through, epoch, files }: Omit<FoundSnapshot, 'files'> & { readonly files: readonly LogFile[] },
    after: string | undefined,
    added: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { tables, snapshots } = this.#options;
    const blocks = [...added.values()].reduce((sum, count) => sum + count, 0);
    // A database that has failed over meanwhile may lack any of these. A release that cannot read files looks for one part, which is not there.
    const [published] = await snapshots.untilDone<{ there: boolean }>({
      text: `
        with there as (
          select 1 where exists (select 1 from ${tables.log} where shard = $1 and first <= $2 and last >= $2 and epoch = coalesce($4, epoch))
            and (select writer from ${tables.snapshots} where shard = $1 order by through desc limit 1) is not distinct from $5::uuid
            and (select count(*) from ${tables.files} where shard = $1 and file = any($7::text[])) = $8
        ), added as (
          insert into ${tables.snapshots} (shard, through, writer, parts, files) select $1, $2, $3, 1, $6 from there on conflict do nothing
        ) select exists (select 1 from there) or exists (select 1 from ${tables.snapshots} where shard = $1 and writer = $3) as there`,
      values: [shard, through, id, epoch ?? null, after ?? null, JSON.stringify(files), [...added.keys()], blocks],
    });
    if (!published!.there)
      throw new LogRewound(
        `transaction ${through} of shard ${shard}, a file of its snapshot or the snapshot before it is not in the database any more`,
      );
    await snapshots.tidy(shard);
  }
}

const foundSnapshot = ({ writer, through, epoch, files }: StoredSnapshot): FoundSnapshot => ({
  id: writer,
  through: Number(through),
  epoch: epoch === null ? undefined : Number(epoch),
  files: files ?? undefined,
});
