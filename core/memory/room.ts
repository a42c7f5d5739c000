/** Runs work when there is room for what it holds in memory, in the order of asking. */
export type Room = ReturnType<typeof createRoom>;

/**
 * Bounds what work under way holds in memory together, by a weight that its caller knows. Work of at most `small` is not counted and never
 * waits; work that is heavier than all the room is done alone.
 */
export function createRoom({ capacity, small }: { capacity: number; small: number }) {
  let taken = 0;
  const waiting: { readonly weight: number; readonly go: () => void }[] = [];

  return async function within<T>(weight: number, work: () => Promise<T>): Promise<T> {
    if (weight <= small) return work();
    if (waiting.length > 0 || !fits(weight)) await new Promise<void>((go) => waiting.push({ weight, go }));
    else taken += weight;
    try {
      return await work();
    } finally {
      taken -= weight;
      while (waiting[0] && fits(waiting[0].weight)) {
        const next = waiting.shift()!;
        taken += next.weight;
        next.go();
      }
    }
  };

  function fits(weight: number): boolean {
    return taken === 0 || taken + weight <= capacity;
  }
}
