import type { Session, Signal } from './session.js';

/** A session before it has entered a flow. */
export const unbegun = ({ session, contact, globals }: Extract<Signal, { kind: 'start' }>): Session => ({
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
