import type { Session, Signal } from './session.js';

/** A later release may write sessions of another shape; after a rollback they are still there. */
export const isKnownVersion = ({ v }: { readonly v: number }): boolean => v === 1;

/** Whether a turn of a session, as it was returned and kept, can be taken by this release. */
export const isKnownSession = (session: string): boolean => isKnownVersion(JSON.parse(session) as Session);

/** A session before it has entered a flow. */
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
