import type { Json } from '#core';
import type { Expectation, Revision, SentMessage, Settings } from './document.js';
import type { FilePosition } from './problem.js';

/** A test that can run: its settings are merged with the defaults, and the columns of its row are filled in. */
export interface TestCase {
  /** Unique in its file. */
  readonly name: string;
  readonly at: FilePosition;
  readonly only: boolean;
  /** Why it does not run. */
  readonly skip?: string;
  /** As written: a file beside the test, a name or a uuid. */
  readonly journey?: string;
  readonly revision: Revision;
  readonly settings: Settings;
  readonly steps: readonly TestStep[];
}

/** A step with its place. A step of the file with an action and `expect` is two steps. */
export type TestStep = { readonly at: FilePosition } & TestAction;

export type TestAction =
  | { readonly kind: 'start' }
  | { readonly kind: 'say'; readonly text: string }
  /** `label` is the label or the id of the option. */
  | { readonly kind: 'tap' | 'choose'; readonly label: string }
  | { readonly kind: 'send'; readonly message: SentMessage }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'mock'; readonly mocks: readonly Json[] }
  /** `places` has the place of each key of the expectation. */
  | { readonly kind: 'expect'; readonly expectation: Expectation; readonly places: Readonly<Record<string, FilePosition>> };
