/** How a writer ends. */
export interface Plan {
  /** At a moment: from outside, with compactions in a worker. The others: by its own hand, at an operation on a file. */
  readonly kill: 'at a moment' | 'in a compaction' | 'before a removal';
  /** How many such operations it lives to see. */
  readonly operation: number;
  /** Milliseconds from the first acknowledgement, or from the start of the process. */
  readonly delay: number;
  readonly from: 'acknowledgement' | 'start';
}

/** Numbers from 0 up to, not including, 1: the same ones for the same seed (mulberry32). */
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
    kill: which < 0.5 ? 'at a moment' : which < 0.8 ? 'in a compaction' : 'before a removal',
    operation: Math.floor(operation * (which < 0.8 ? 60 : 3)),
    delay: Math.round(moment * 250),
    from: from < 0.15 ? 'start' : 'acknowledgement',
  };
}
