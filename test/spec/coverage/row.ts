/**
 * `done`: a named test fails when the rule is broken. `partial`: some of the rule is so, and the note says what is missing.
 * `absent`: nothing of it is there yet.
 */
export type Status = 'done' | 'partial' | 'absent';

/** One rule of the interface, in our own words, and what shows that it holds. */
export interface Row {
  /** Stable and unique: `channels.inbound.image.sha256`. */
  readonly id: string;
  readonly rule: string;
  readonly status: Status;
  /** `test/plugins/channels.test.ts > the sentence of the test`, as it stands in the source. */
  readonly tests?: readonly string[];
  /** The endpoint whose existence is this rule: `POST /v1/numbers/:number_uuid/messages`. */
  readonly route?: string;
  /** The event of the platform that it comes from. */
  readonly event?: string;
  /** The kind of subscription that it is about, in the platform's own words. */
  readonly subscription?: string;
  /** What is missing, or what was chosen where the interface says nothing. */
  readonly note?: string;
}

/** A row as it is written: id, rule, tests, and what else there is to say. The status is `done` where none is given. */
type WrittenRow = readonly [id: string, rule: string, tests: readonly string[], more?: Partial<Omit<Row, 'id' | 'rule' | 'tests'>>];

export const rowsOf = (written: readonly WrittenRow[]): readonly Row[] =>
  written.map(([id, rule, tests, more]) => ({ id, rule, status: 'done', ...(tests.length > 0 && { tests }), ...more }));
