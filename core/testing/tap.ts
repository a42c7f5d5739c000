/** Describes a thrown error: a pattern for its message, or some of its fields (`{ name: 'TaskFailed' }`). */
export type Thrown = RegExp | { readonly name: string; readonly [field: string]: unknown } | { readonly message: string | RegExp };

/** An optional description of an assertion. */
export type Note = [] | [note: string];

/** The part of a tap test that the contract suites use. Any `t` with these methods works. */
export interface Tap {
  test(name: string, run: (t: Tap) => unknown): Promise<unknown>;
  /** Runs when the test ends, passed or failed. */
  teardown(run: () => unknown): unknown;
  comment(text: string): void;

  ok(found: unknown, ...note: Note): boolean;
  notOk(found: unknown, ...note: Note): boolean;
  /** The same value (`===`). */
  equal(found: unknown, wanted: unknown, ...note: Note): boolean;
  not(found: unknown, unwanted: unknown, ...note: Note): boolean;
  /** Deep equality; numbers equal their text (`strictSame` tells them apart). */
  same(found: unknown, wanted: unknown, ...note: Note): boolean;
  notSame(found: unknown, unwanted: unknown, ...note: Note): boolean;
  strictSame(found: unknown, wanted: unknown, ...note: Note): boolean;
  /** At least the fields of the pattern; regular expressions match text, constructors match types. */
  match(found: unknown, pattern: unknown, ...note: Note): boolean;
  notMatch(found: unknown, pattern: unknown, ...note: Note): boolean;
  pass(...note: Note): boolean;
  fail(...note: Note): boolean;
  throws(run: () => unknown, ...wanted: [] | [Thrown] | [Thrown, string]): unknown;
  rejects(work: Promise<unknown> | (() => Promise<unknown>), ...wanted: [] | [Thrown] | [Thrown, string]): Promise<unknown>;
}
