/** When a writer is killed. */
export interface Plan {
  /** `after a delay`: from outside, with compactions in a worker. The others: the writer kills itself at an operation on a file. */
  readonly kill: 'after a delay' | 'in a compaction' | 'before a removal';
  /** How many such operations to let pass. */
  readonly operation: number;
  /** Milliseconds from the first acknowledgement, or from the start of the process. */
  readonly delay: number;
  readonly from: 'acknowledgement' | 'start';
}

/** A seeded generator of numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function planOf(random: () => number): Plan {
  const [which, moment, operation, from] = [random(), random(), random(), random()];
  return {
    kill: which < 0.5 ? 'after a delay' : which < 0.8 ? 'in a compaction' : 'before a removal',
    operation: Math.floor(operation * (which < 0.8 ? 60 : 3)),
    delay: Math.round(moment * 250),
    from: from < 0.15 ? 'start' : 'acknowledgement',
  };
}
