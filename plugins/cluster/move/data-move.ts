import { lazy } from '../../../core/lazy.js';
import type { MoveReport } from './move-data.js';
import type { DataMove } from './run-data-move.js';

export type { MoveProgress, MoveReport } from './move-data.js';
export type { DataMove } from './run-data-move.js';

const run = lazy(() => import('./run-data-move.js'));

/**
 * Moves all data of a platform, which must not run. The source stays as it is, except that `shards` replaces it. Media files stay where they are. The
 * same call continues an interrupted move.
 * @throws FolderInUse, PlaceInUse, TargetNotEmpty, CannotDistribute, MoveNotVerified, NoData
 */
export async function moveData(move: DataMove): Promise<MoveReport> {
  return (await run.get()).runDataMove(move);
}
