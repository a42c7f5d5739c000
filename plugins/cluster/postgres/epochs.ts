import { randomInt } from 'node:crypto';

/**
 * Epochs of owners contain how many owners a shard has had, and a random part: after a fail-over that has lost the lease of an owner, the next
 * one must not get the same epoch. Those of 0.1.0 are counts only.
 */
const RANDOM_BITS = 24;

/** The random part of an epoch, for `nextEpoch`. */
export const randomPart = (): number => randomInt(2 ** RANDOM_BITS);

/** SQL: the epoch after another one, with a random part. */
export const nextEpoch = (epoch: string, random: string): string =>
  `(((case when ${epoch} < ${2 ** RANDOM_BITS} then ${epoch} else ${epoch} >> ${RANDOM_BITS} end + 1) << ${RANDOM_BITS}) + ${random}::bigint)`;

/** How many owners a shard has had. */
export const ownersBy = (epoch: number): number => (epoch < 2 ** RANDOM_BITS ? epoch : Math.floor(epoch / 2 ** RANDOM_BITS));
