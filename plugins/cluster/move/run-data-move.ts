import type { Logger } from '#core/ports';
import { outboxEntries } from '../../../core/adapters/outbox/stored-outbox.js';
import { FolderSource, FolderTarget, placingsOf } from '../../../core/adapters/store/index.js';
import { type DeclaringPlugins, storedCollections } from '../../../core/platform/stored-collections.js';
import type { MoveSource, MoveTarget } from '../../../core/ports/move.js';
import { DatabaseSource, DatabaseTarget } from '../postgres/moved-shards.js';
import { Servers } from '../postgres/servers.js';
import { type MoveProgress, type MoveReport, moveAll } from './move-data.js';

/** Where data moves, and how. */
export interface DataMove {
  /**
   * `to_database`: from `folder` to the database; `to_folder`: from the database to `folder`; `shards`: within the database, from the shards that it has
   * to `shards`.
   */
  readonly direction: 'to_database' | 'to_folder' | 'shards';
  readonly folder?: string | undefined;
  /** `postgres://user:password@host/database` */
  readonly url: string;
  /** The schema of the tables; `posthorn` if not given. */
  readonly schema?: string | undefined;
  /** How many shards the database gets; 1 if not given. */
  readonly shards?: number | undefined;
  /** Declare the collections that are distributed over several shards. */
  readonly plugins: DeclaringPlugins;
  readonly log: Logger;
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** One shard has the name that `postgresStore` uses. */
const shardNames = (count: number): string[] => (count === 1 ? ['main'] : Array.from({ length: count }, (_, i) => `shard-${i + 1}`));

/** See `moveData`. */
export async function runDataMove({
  direction,
  folder = '',
  url,
  schema,
  shards = 1,
  plugins,
  log,
  onProgress,
}: DataMove): Promise<MoveReport> {
  const types = storedCollections(plugins);
  const placing = placingsOf(new Map([...types].filter(([, type]) => type !== outboxEntries)));
  const servers = new Servers({ url });
  const options = { servers, log, ...(schema !== undefined && { schema }) };
  const database = `the database ${servers.name}${schema === undefined ? '' : `, schema ${schema}`}`;
  const open: Record<DataMove['direction'], () => Promise<[MoveSource, MoveTarget]>> = {
    to_database: async () => [await FolderSource.open(folder, { log, placing }), new DatabaseTarget(database, options)],
    to_folder: async () => [await DatabaseSource.open(database, options), new FolderTarget(folder, { placing })],
    shards: async () => {
      const source = await DatabaseSource.open(database, options);
      return [source, new DatabaseTarget(database, options, source)];
    },
  };
  const [source, target] = await open[direction]();
  try {
    const names = direction === 'to_folder' ? shardNames(1) : shardNames(shards);
    return await moveAll({ source, target, shards: names, types, ...(onProgress && { onProgress }) });
  } finally {
    await target.close();
    await source.close();
  }
}
