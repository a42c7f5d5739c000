/** The number of records of each type in a folder. */
export interface Counts {
  readonly what: string;
  readonly text: number;
  /** Conversations, each with its contact. */
  readonly conversations: number;
  readonly messages: number;
  /** Pending deliveries (`waiting`), and deliveries that succeeded at the first attempt (`over`). */
  readonly waiting: number;
  readonly over: number;
  /** Whether the data stay in the journal, as after a kill. */
  readonly isKilled: boolean;
}

const none = { text: 550, conversations: 0, messages: 0, waiting: 0, over: 0, isKilled: false };

export const kinds = {
  empty: { ...none, what: 'nothing' },
  /** About 1 KB each: 2 documents per conversation, 1 per message, 3 per delivery. */
  mixed: { ...none, what: '100,000 mixed documents', text: 800, conversations: 10_000, messages: 50_000, over: 10_000 },
  conversations: { ...none, what: 'conversation with its contact', conversations: 50_000 },
  messages: { ...none, what: 'message', conversations: 500, messages: 100_000 },
  many: { ...none, what: '240,000 messages of 24,000 conversations', conversations: 24_000, messages: 240_000 },
  large: { ...none, what: '500,000 messages of 50,000 conversations', text: 100, conversations: 50_000, messages: 500_000 },
  journal: { ...none, what: 'message, not all merged yet', conversations: 500, messages: 50_000, isKilled: true },
  waiting: { ...none, what: 'pending delivery', waiting: 100_000 },
  over: { ...none, what: 'finished delivery', over: 100_000 },
} satisfies Record<string, Counts>;

export type Kind = keyof typeof kinds;
