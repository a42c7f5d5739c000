/** Runs work when there is memory for it, in the order of the calls. */
export type Room = ReturnType<typeof createRoom>;

/**
 * Limits the memory that work in progress uses in total, by weights that the callers estimate. Work up to `small` is not
 * counted and never waits; work above `capacity` runs alone.
 */
export function createRoom({ capacity, small }: { capacity: number; small: number }) {
  let used = 0;
  const waiting: { readonly weight: number; readonly go: () => void }[] = [];

  return async function within<T>(weight: number, work: () => Promise<T>): Promise<T> {
    if (weight <= small) return work();
    if (waiting.length > 0 || !fits(weight)) await new Promise<void>((go) => waiting.push({ weight, go }));
    else used += weight;
    try {
      return await work();
    } finally {
      used -= weight;
      while (waiting[0] && fits(waiting[0].weight)) {
        const next = waiting.shift()!;
        used += next.weight;
        next.go();
      }
    }
  };

  function fits(weight: number): boolean {
    return used === 0 || used + weight <= capacity;
  }
}
