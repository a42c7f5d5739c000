import { queue } from '#core';

export const answers = queue<{ message: string }>('journeys.answers');

/** The end of a session's wait. The job is ignored if `turns` differs from the session's `turns`, because the session has then continued. */
export const timers = queue<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>('journeys.timers', ({ session, kind }) => ({
  kind: 'session',
  id: session,
  title: `${kind} of parked session ${session}`,
}));
