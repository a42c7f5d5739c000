import { queue } from '#core';

/** A message that a journey has to answer. */
export const answers = queue<{ message: string }>('journeys.answers');

/** A waiting session whose time is up, unless it has gone on meanwhile: then its number of turns has changed. */
export const timers = queue<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>('journeys.timers');
