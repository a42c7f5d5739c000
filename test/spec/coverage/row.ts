/**
 * `done`: a named test fails if the rule is broken. `partial`: the platform follows part of the rule, and the note says which part is
 * missing. `absent`: nothing of it is implemented yet.
 */
export type Status = 'done' | 'partial' | 'absent';

/** One rule of the interface, in our own words, and the tests that prove it. */
export interface Row {
  /** Stable and unique: `channels.inbound.image.sha256`. */
  readonly id: string;
  readonly rule: string;
  readonly status: Status;
  /** `test/plugins/channels/channels.test.ts > the title of the test`, exactly as in the source; another spelling fails the coverage test. */
  readonly tests?: readonly string[];
  /** The endpoint that this rule requires: `POST /v1/numbers/:number_uuid/messages`. */
  readonly route?: string;
  /** The platform event that triggers the behaviour. */
  readonly event?: string;
  /** The kind of subscription that the rule is about, as `subscriptionKinds` names it. */
  readonly subscription?: string;
  /** The missing part, or Posthorn's choice where the interface leaves the point open. `core/not-shown.md` shows these choices. */
  readonly note?: string;
}

/** A row as the tables write it: id, rule, tests and the other fields. The status defaults to `done`. */
type WrittenRow = readonly [id: string, rule: string, tests: readonly string[], more?: Partial<Omit<Row, 'id' | 'rule' | 'tests'>>];

export const rowsOf = (written: readonly WrittenRow[]): readonly Row[] =>
  written.map(([id, rule, tests, more]) => ({ id, rule, status: 'done', ...(tests.length > 0 && { tests }), ...more }));
