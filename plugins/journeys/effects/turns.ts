/** A lock that runs one piece of work at a time. Waiting owners take turns: an owner's second work runs after every other owner's first. */
export function createFairLock() {
  /** The waiting work of each owner, in order; owners in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;

  return async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (isBusy) await new Promise<void>((resolve) => waiting.set(owner, [...(waiting.get(owner) ?? []), resolve]));
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = startNext(owner);
    }
  };

  /** Starts the next waiting work, of another owner if there is one. @returns whether any was waiting */
  function startNext(from: string): boolean {
    const others = [...waiting.keys()].filter((owner) => owner !== from);
    const [owner = from] = others;
    const [next, ...later] = waiting.get(owner) ?? [];
    // Re-inserted, the owner is last in the map's order.
    waiting.delete(owner);
    if (later.length > 0) waiting.set(owner, later);
    next?.();
    return next !== undefined;
  }
}
