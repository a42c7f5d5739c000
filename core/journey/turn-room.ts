/** Runs work of a weight when there is room for it, in the order of asking. */
export type TurnRoom = ReturnType<typeof createTurnRoom>;

/**
 * Bounds what turns under way hold in memory together. Those of at most `small` are not counted and never wait; one that is heavier than
 * all the room goes alone.
 */
export function createTurnRoom({ capacity, small }: { capacity: number; small: number }) {
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
