/** How far a journey may go before it is stopped. */
export const JOURNEY_LIMITS = {
  /** Blocks in one turn, the effects of that turn included. */
  steps: 200,
  /** Turns of a session. */
  turns: 1000,
  /** Flows and journeys a session may call in all, and at the same time. */
  runs: 100,
  depth: 10,
  /** Characters of a rendered text, of one message, of a contact field, of a result. */
  text: 10_000,
  message: 4096,
  field: 4096,
  result: 640,
  /** Bytes of an HTTP request or response. */
  payload: 262_144,
  /** Characters of what a contact sends. */
  input: 65_536,
  /** Characters of what a session knows, as JSON; and of what one step tells, the contexts of its messages included. */
  session: 4_194_304,
  output: 4_194_304,
  /** Evaluation steps of all expressions of one step together. */
  expressions: 500_000,
  /** Effects of one turn that are really performed. */
  effects: 100,
} as const;

/** What the network shows of a choice. */
export const CHOICE_LIMITS = { buttons: 3, button: 20, rows: 10, row: 24, description: 72, listButton: 20 } as const;

/** Names of the context that are ignored in the parent and the child a session is started with. */
export const IGNORED_NAMES: ReadonlySet<string> = new Set(['chat', 'contact', 'event', 'global', 'number', 'organisation', '__proto__']);

/** Names of the context that a variable of the same name hides: what they stand for comes from outside, and the engine never reads it. */
export const HIDDEN_NAMES: ReadonlySet<string> = new Set(['chat', 'event', 'global', 'number', 'organisation']);

/** Names of the context that no variable can have: the engine gives them their values. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['contact', 'block', 'parent', 'child', 'config', 'results', '__proto__']);
