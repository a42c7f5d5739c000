/** Limits of a journey. A run that exceeds one fails with an error code. */
export const JOURNEY_LIMITS = {
  /** Blocks and effects in one turn. */
  steps: 200,
  /** Turns in one session. */
  turns: 1000,
  /** Calls of flows and journeys in one session: in total (`runs`), and nested (`depth`). */
  runs: 100,
  depth: 10,
  /** Characters of a rendered text, a message, a contact field, a result. */
  text: 10_000,
  message: 4096,
  field: 4096,
  result: 640,
  /** Bytes of an HTTP request or response. */
  payload: 262_144,
  /** Characters of a contact's message; the rest is cut off. */
  input: 65_536,
  /** Characters of a session as JSON; and of the output of one step, including the context of each message. */
  session: 4_194_304,
  output: 4_194_304,
  /** Evaluation cost of all expressions in one call of `step`. */
  expressions: 500_000,
  /** Effects that are performed in one turn. */
  effects: 100,
} as const;

/** Names that are removed from the `parent` and `child` that a session is started with. */
export const IGNORED_NAMES: ReadonlySet<string> = new Set(['chat', 'contact', 'event', 'global', 'number', 'organisation', '__proto__']);

/** Names of the context that a variable may shadow: the engine itself never reads them. */
export const HIDDEN_NAMES: ReadonlySet<string> = new Set(['chat', 'event', 'global', 'number', 'organisation']);

/** Names that no variable can have, because the engine sets them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['contact', 'block', 'parent', 'child', 'config', 'results', '__proto__']);
