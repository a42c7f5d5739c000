/**
 * How many times slower than idle the machine is that runs the tests, from 1: the environment variable POSTHORN_SLOWNESS, which
 * `npm test` measures for every suite.
 */
export const slowness = Math.max(1, Number(process.env.POSTHORN_SLOWNESS) || 1);

/** How many milliseconds a test waits for something that takes at most `ms` on an idle machine. */
export const patient = (ms: number): number => ms * slowness;
