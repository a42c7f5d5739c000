import { PlatformError, task } from '#core';
import { TaskFailed, type WorkerPool } from '#core/ports';
import type { CheckInput, CheckOutput, CompiledSource, JourneySource } from '../engine/check.task.js';
import type { CheckedChannel } from '../engine/lint/channel.js';
import type { Finding } from '../engine/lint/finding.js';
import { type AssetLookup, unknownAssets } from '../engine/lint/references.js';

/** Ends a check that hangs. A journey at the limits takes a few seconds, and the machine may be busy. */
const LIMIT_MS = 60_000;

export const journeyCheck = task<CheckInput, CheckOutput>('journey.check', new URL('../engine/check.task.js', import.meta.url), {
  weigh: ({ source }) => ('json' in source ? source.json.length : source.notebook.length),
  limitMs: LIMIT_MS,
});

export interface CheckedJourney {
  /** Errors first for JSON; in the order of the text for a notebook. */
  readonly findings: readonly Finding[];
  /** Whether it can run: without errors, apart from missing assets. */
  readonly canRun: boolean;
  /** For a notebook only. */
  readonly compiled: CompiledSource | undefined;
}

/**
 * Lints a journey on a worker thread, and compiles it if it is a notebook.
 * @param guards the conditions of triggers that the source does not contain
 * @throws PlatformError 400 `journey_too_complex` when the check takes more than a minute
 */
export async function checkJourney(
  workers: Pick<WorkerPool, 'run'>,
  source: JourneySource,
  channel: CheckedChannel,
  guards: readonly (string | undefined)[] = [],
  hasAsset: AssetLookup = unknownAssets,
): Promise<CheckedJourney> {
  const check = (assets: CheckInput['assets']): Promise<CheckOutput> => workers.run(journeyCheck, { source, guards, assets, channel });
  try {
    const checked = await check({});
    const known = checked.unknown.flatMap(([kind, id]) => {
      const exists = hasAsset(kind, id);
      return exists === undefined ? [] : [[`${kind} ${id}`, exists] as const];
    });
    // A second check only for missing assets and templates: another existing asset causes no finding, like an unknown one.
    const { findings, canRun, compiled } = known.every(([, exists]) => exists === true) ? checked : await check(Object.fromEntries(known));
    return { findings, canRun, compiled };
  } catch (error) {
    if (!(error instanceof TaskFailed) || error.reason !== 'timed out') throw error;
    throw new PlatformError(400, 'journey_too_complex', `Checking the journey takes more than ${LIMIT_MS / 1000} seconds; split it`);
  }
}
