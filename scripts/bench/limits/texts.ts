/** Texts that contacts send in answer to a question of a journey. */
export interface Texts {
  readonly what: string;
  readonly count: number;
  /** Characters of each. */
  readonly length: number;
  /** Each contact is asked its question first, so that its text is an answer; otherwise the text begins the conversation. */
  readonly isAnswer: boolean;
  readonly contacts: 'one' | 'many';
  /** `deliveries.kept`, if not the default. */
  readonly kept?: number;
}

export const texts = {
  idle: { what: 'contact with one text of 100 bytes', count: 5_000, length: 100, isAnswer: false, contacts: 'many' },
  evicted: {
    what: 'the same, its deliveries evicted',
    count: 5_000,
    length: 100,
    isAnswer: false,
    contacts: 'many',
    kept: 0,
  },
  answers: { what: 'text of 20 KB, a contact each', count: 500, length: 20_000, isAnswer: true, contacts: 'many' },
  talk: { what: 'text of 20 KB, of one contact', count: 500, length: 20_000, isAnswer: true, contacts: 'one' },
  long: { what: 'text of 60 KB, of one contact', count: 485, length: 60_000, isAnswer: true, contacts: 'one' },
} satisfies Record<string, Texts>;

/** Bytes that the platform has more than before the first text. */
export interface Kept {
  readonly heap: number;
  /** Of the folder, with the journal. */
  readonly diskRunning: number;
  readonly diskStopped: number;
}
