export interface Texts {
  readonly what: string;
  readonly count: number;
  readonly length: number;
  /** Whether the text answers a question of the journey; otherwise it starts the conversation. */
  readonly isAnswer: boolean;
  readonly contacts: 'one' | 'many';
  /** The option `deliveries.kept`; undefined: its default. */
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
  answers: { what: 'text of 20 KB, one per contact', count: 500, length: 20_000, isAnswer: true, contacts: 'many' },
  talk: { what: 'text of 20 KB, of one contact', count: 500, length: 20_000, isAnswer: true, contacts: 'one' },
  long: { what: 'text of 60 KB, of one contact', count: 485, length: 60_000, isAnswer: true, contacts: 'one' },
} satisfies Record<string, Texts>;

/** The growth in bytes since before the first text. */
export interface Kept {
  readonly heap: number;
  /** The folder with the journal. */
  readonly diskRunning: number;
  readonly diskStopped: number;
}
