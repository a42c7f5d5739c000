import type { Session, Signal } from './session.js';

/** Whether this release can read a session. After a rollback the store may contain sessions of a later release. */
export const isKnownVersion = ({ v }: { readonly v: number }): boolean => v === 1;

/** Like `isKnownVersion`, for a session as stored JSON text. */
export const isKnownSession = (session: string): boolean => isKnownVersion(JSON.parse(session) as Session);

export const newSession = ({ session, contact, globals }: Extract<Signal, { kind: 'start' }>): Session => ({
  v: 1,
  uuid: session,
  status: 'active',
  stack: [],
  contact,
  globals,
  steps: 0,
  turns: 0,
  runs: 0,
});
