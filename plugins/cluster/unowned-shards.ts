import type { PluginContext } from '#core';
import { adviceOnce } from '#core/messaging';
import { issuedAdvice } from '../../core/messaging/messages.js';
import type { Timer } from '../../core/ports/clock.js';
import type { ClusterDirectory } from './directory.js';

/** A take-over, a hand-over and a start take less, unless something is wrong: 30 seconds with the default lease. */
const LEASES = 10;

const causeOf = (shard: string): string => `shard_without_owner:${shard}`;

export type WatchedDirectory = Pick<ClusterDirectory, 'shards' | 'ownerOf' | 'leaseMs' | 'problem'>;

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
    const reporter = directory.shards.find((one) => directory.ownerOf(one));
    for (const one of directory.shards) {
      if (directory.ownerOf(one)) {
        missing.delete(one);
        if (!settled.has(one)) await store.transaction((tx) => once.reset(tx, causeOf(one)));
        settled.add(one);
        continue;
      }
      settled.delete(one);
      const since = missing.get(one) ?? clock.monotonic();
      missing.set(one, since);
      const forMs = clock.monotonic() - since;
      if (reporter !== shard || forMs < LEASES * directory.leaseMs) continue;
      await store.transaction((tx) =>
        once.issue(tx, causeOf(one), {
          name: 'shard_without_owner',
          severity: 'critical',
          about: { shard: one },
          message: `${one} has had no owner for ${Math.round(forMs / 1_000)} seconds: calls for its numbers get 503, and nothing is sent for them.`,
          fix: `Find out in the logs why no process owns ${one}, such as a shard that could not be started, or start another process; GET /admin/v1/cluster shows all.`,
        }),
      );
      // Not again after an operator has dismissed it.
      missing.set(one, Number.POSITIVE_INFINITY);
    }
  }

  function next(): void {
    if (isStopped) return;
    timer = clock.after(directory.leaseMs, async () => {
      await look().catch((error: unknown) => log.warn('shards without an owner could not be looked for; the next look follows', { error }));
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
