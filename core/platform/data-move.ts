import type { MoveProgress, MoveReport } from '../adapters/move/move-data.js';
import type { PluginManifest } from '../contract/plugin.js';
import { lazy } from '../lazy.js';
import type { Logger } from '../ports/logger.js';

export type { MoveProgress, MoveReport } from '../adapters/move/move-data.js';

/** Plugins, as far as their collections are concerned. */
export type DeclaringPlugins = readonly { readonly manifest: Pick<PluginManifest<never>, 'name' | 'collections'> }[];

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

const run = lazy(() => import('./run-data-move.js'));

/**
 * Moves all data of a platform, which must not run. The source stays as it is, except that `shards` replaces it. Media files stay where they are. The
 * same call continues an interrupted move.
 * @throws FolderInUse, PlaceInUse, TargetNotEmpty, CannotDistribute, MoveNotVerified, NoData
 */
export async function moveData(move: DataMove): Promise<MoveReport> {
  return (await run.get()).runDataMove(move);
}
