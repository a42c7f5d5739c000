/** How many of each a folder has. */
export interface Counts {
  /** Each with its contact. */
  readonly conversations: number;
  readonly messages: number;
  readonly waiting: number;
  readonly over: number;
}

const none: Counts = { conversations: 0, messages: 0, waiting: 0, over: 0 };

export const kinds = {
  empty: none,
  /** 100,000 documents: 2 of each conversation, 1 of each message, 3 of each delivery. */
  mixed: { conversations: 10_000, messages: 50_000, waiting: 0, over: 10_000 },
  conversations: { ...none, conversations: 50_000 },
  messages: { ...none, messages: 100_000, conversations: 1 },
  waiting: { ...none, waiting: 100_000 },
  over: { ...none, over: 100_000 },
} satisfies Record<string, Counts>;

export type Kind = keyof typeof kinds;
