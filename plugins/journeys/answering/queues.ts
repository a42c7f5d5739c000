import { queue } from '#core';

export const answers = queue<{ message: string }>('journeys.answers');

/** An overdue wait of a session. Ignored when `turns` differs from the session's: then the session has continued meanwhile. */
export const timers = queue<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>('journeys.timers');
