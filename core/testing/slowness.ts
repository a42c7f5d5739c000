/**
 * How many times slower than an idle machine this one is, at least 1. `npm test` measures it for every suite and sets
 * POSTHORN_SLOWNESS.
 */
export const slowness = Math.max(1, Number(process.env.POSTHORN_SLOWNESS) || 1);

/** Scales a timeout that suffices on an idle machine to this one. */
export const patient = (ms: number): number => ms * slowness;
