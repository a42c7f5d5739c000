import type { Assignment } from './directory.js';

/** The input of an assignment of shards. */
export interface PlacementInput {
  readonly shards: readonly string[];
  /** The processes that run, in a fixed order. */
  readonly members: readonly { readonly id: string; readonly isDraining: boolean }[];
  readonly current: ReadonlyMap<string, Assignment>;
  /** The processes that own shards now, whatever was assigned. */
  readonly owners: ReadonlyMap<string, string>;
  /** The load of each shard, such as its transactions per second. */
  readonly rates: ReadonlyMap<string, number>;
  /** Whether one shard may move only to balance the load. */
  readonly mayBalance: boolean;
}

const NONE: Assignment = { owner: undefined, standby: undefined, pinned: undefined };
/** A move must improve the balance by this share of an average shard. */
const WORTHWHILE = 0.5;

/**
 * Assigns an owner and a standby to every shard, with as few moves as possible. Shards of processes that ended or are drained go to their
 * standbys; then at most one shard moves to balance the load.
 */
export function place({ shards, members, current, owners, rates, mayBalance }: PlacementInput): Map<string, Assignment> {
  const willing = members.filter(({ isDraining }) => !isDraining);
  // If all are drained, they still have to serve.
  const ids = (willing.length > 0 ? willing : members).map(({ id }) => id);
  const isThere = (id: string | undefined): id is string => id !== undefined && ids.includes(id);
  if (ids.length === 0) return new Map(shards.map((shard) => [shard, current.get(shard) ?? NONE]));

  const mean = [...rates.values()].reduce((sum, rate) => sum + rate, 0) / shards.length;
  // A shard without load still takes memory and time.
  const weightOf = (shard: string): number => 1 + (mean > 0 ? (rates.get(shard) ?? 0) / mean : 0);
  const chosen = new Map<string, string>();
  const load = new Map(ids.map((id) => [id, 0]));
  const give = (shard: string, id: string): void => {
    const before = chosen.get(shard);
    if (before !== undefined) load.set(before, load.get(before)! - weightOf(shard));
    chosen.set(shard, id);
    load.set(id, load.get(id)! + weightOf(shard));
  };
  const pinnedTo = (shard: string): string | undefined => {
    const pinned = current.get(shard)?.pinned;
    return isThere(pinned) ? pinned : undefined;
  };

  for (const shard of shards) {
    const { owner, standby } = current.get(shard) ?? NONE;
    const id = [pinnedTo(shard), owner, owners.get(shard), standby].find(isThere);
    if (id !== undefined) give(shard, id);
  }
  for (const shard of shards) if (!chosen.has(shard)) give(shard, least(ids, load));
  if (mayBalance) balance();

  const standbys = new Map(ids.map((id) => [id, 0]));
  const assigned = new Map<string, Assignment>();
  for (const shard of shards) {
    const owner = chosen.get(shard)!;
    const known = current.get(shard) ?? NONE;
    const others = ids.filter((id) => id !== owner);
    const standby =
      [known.standby, known.owner].find((id) => isThere(id) && id !== owner) ?? (others.length > 0 ? least(others, standbys) : undefined);
    if (standby !== undefined) standbys.set(standby, standbys.get(standby)! + 1);
    assigned.set(shard, { owner, standby, pinned: known.pinned });
  }
  return assigned;

  function balance(): void {
    const heaviest = ids.reduce((a, b) => (load.get(b)! > load.get(a)! ? b : a));
    const lightest = least(ids, load);
    const difference = load.get(heaviest)! - load.get(lightest)!;
    const average = shards.reduce((sum, shard) => sum + weightOf(shard), 0) / shards.length;
    let best: { readonly shard: string; readonly gain: number } | undefined;
    for (const shard of shards) {
      if (chosen.get(shard) !== heaviest || pinnedTo(shard) !== undefined) continue;
      const gain = difference - Math.abs(difference - 2 * weightOf(shard));
      const isBetter =
        gain >= WORTHWHILE * average && (!best || gain > best.gain || (gain === best.gain && current.get(shard)?.standby === lightest));
      if (isBetter) best = { shard, gain };
    }
    if (best) give(best.shard, lightest);
  }
}

const least = (ids: readonly string[], load: ReadonlyMap<string, number>): string =>
  ids.reduce((a, b) => (load.get(b)! < load.get(a)! ? b : a));
