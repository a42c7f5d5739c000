/** Does one thing at a time. Of those that wait, nobody's second goes before anybody's first. */
export function takingTurns() {
  /** Who waits, in the order of their turns, and for each what is next. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;

  return async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (isBusy) await new Promise<void>((resolve) => waiting.set(owner, [...(waiting.get(owner) ?? []), resolve]));
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = passOn(owner);
    }
  };

  /** @returns whether there is somebody to go on */
  function passOn(from: string): boolean {
    const others = [...waiting.keys()].filter((owner) => owner !== from);
    const [owner = from] = others;
    const [next, ...later] = waiting.get(owner) ?? [];
    // Behind all the others now.
    waiting.delete(owner);
    if (later.length > 0) waiting.set(owner, later);
    next?.();
    return next !== undefined;
  }
}
