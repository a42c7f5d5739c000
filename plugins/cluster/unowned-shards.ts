import type { PluginContext } from '#core';
import { adviceOnce } from '#core/messaging';
import { issuedAdvice } from '../../core/messaging/messages.js';
import type { Timer } from '../../core/ports/clock.js';
import type { ClusterDirectory } from './directory.js';

const LOOK_MS = 2_000;
/** After the end of a lease, a take-over, a hand-over and a start take less than this, unless something is wrong. */
const AFTER_MS = 30_000;

const causeOf = (shard: string): string => `shard_without_owner:${shard}`;

export type WatchedDirectory = Pick<ClusterDirectory, 'shards' | 'members' | 'leaseMs' | 'problem'>;

/**
 * Issues advice about shards without an owner, which raises an alert, and dismisses it when they have one. Of all owners, only that of the first shard
 * that has one issues it, so that there is one alert. @param shard the shard of this platform, which this process owns while the platform runs
 */
export function unownedShards(
  directory: WatchedDirectory,
  shard: string,
  { store, clock, log }: Pick<PluginContext, 'store' | 'clock' | 'log'>,
) {
  const once = adviceOnce(issuedAdvice, clock);
  /** Since when a shard has no owner, by `clock.monotonic`. */
  const missing = new Map<string, number>();
  /** The shards that have an owner, as far as the stored advice is concerned. */
  const settled = new Set<string>();
  let timer: Timer | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    // Then every lease seems to have ended.
    if (directory.problem() !== undefined) return missing.clear();
    // Not those with a lease: a process that cannot start a shard has it during each attempt.
    const served = new Set(
      directory.members().flatMap(({ reports }) => reports.filter(({ role }) => role === 'owner').map((report) => report.shard)),
    );
    const reporter = directory.shards.find((one) => served.has(one));
    for (const one of directory.shards) {
      if (served.has(one)) {
        missing.delete(one);
        if (!settled.has(one)) await store.transaction((tx) => once.reset(tx, causeOf(one)));
        settled.add(one);
        continue;
      }
      settled.delete(one);
      const since = missing.get(one) ?? clock.monotonic();
      missing.set(one, since);
      const forMs = clock.monotonic() - since;
      if (reporter !== shard || forMs < AFTER_MS + directory.leaseMs) continue;
      await store.transaction((tx) =>
        once.issue(tx, causeOf(one), {
          name: 'shard_without_owner',
          severity: 'critical',
          about: { shard: one },
          message: `${one} has had no owner for ${Math.round(forMs / 1_000)} seconds: calls for its numbers get 503, and nothing is sent for them.`,
          fix: `Read in the logs of the processes why none serves ${one}, or start another process; GET /admin/v1/cluster shows all.`,
        }),
      );
      // Not again after an operator has dismissed it.
      missing.set(one, Number.POSITIVE_INFINITY);
    }
  }

  function next(): void {
    if (isStopped) return;
    timer = clock.after(LOOK_MS, async () => {
      await look().catch((error: unknown) => {
        if (!isStopped) log.warn('shards without an owner could not be looked for; the next look follows', { error });
      });
      next();
    });
  }

  return {
    start: next,
    stop(): void {
      isStopped = true;
      timer?.cancel();
    },
  };
}
