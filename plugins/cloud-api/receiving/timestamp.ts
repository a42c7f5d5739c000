import { unixSeconds } from '#core';

/** The time of a message or status in Unix seconds, as text; the current time if the network sends none that can be read. */
export const timestampOf = (given: unknown, now: Date): string => (/^\d{1,11}$/.test(String(given)) ? String(given) : unixSeconds(now));
