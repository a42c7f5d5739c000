/** A lock that runs one piece of work at a time, round-robin by owner: an owner's second piece of work runs after every other owner's first. */
export function createFairLock() {
  /** The waiting work of each owner, in order. The first owner of the map is served next. */
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

  /** Starts the next waiting work, preferably of another owner. @returns whether any work was waiting */
  function startNext(from: string): boolean {
    const others = [...waiting.keys()].filter((owner) => owner !== from);
    const [owner = from] = others;
    const [next, ...later] = waiting.get(owner) ?? [];
    // Inserted again, so that the owner becomes the last one in the map.
    waiting.delete(owner);
    if (later.length > 0) waiting.set(owner, later);
    next?.();
    return next !== undefined;
  }
}
