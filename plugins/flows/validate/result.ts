import type { Code } from './codes.js';

/** A range of the text: lines and columns start at 1, the end is inclusive, columns are UTF-16 code units. */
export interface TextRange {
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  readonly column_end: number;
}

export interface Pointer extends TextRange {
  /** `screens[0].layout.children[0].type`; empty for the whole document. */
  readonly path: string;
}

/** The interface's validation error object (Resources). Its range is that of its first pointer. */
export interface ValidationError extends TextRange {
  readonly error: Code;
  readonly error_type: 'FLOW_JSON_ERROR' | 'FLOW_JSON_HINT';
  readonly message: string;
  readonly pointers: readonly Pointer[];
}

/** The version and screens of a flow, as far as they could be read; used to send, open and preview it. */
export interface FlowOutline {
  readonly version?: string;
  /** Present in flows with an endpoint. */
  readonly data_api_version?: string;
  readonly screens: readonly OutlinedScreen[];
  /** The ids of entry screens: those to which no route leads. */
  readonly entries: readonly string[];
}

export interface OutlinedScreen {
  readonly id: string;
  readonly title?: string;
  readonly isTerminal: boolean;
  /** The names of the fields in its data model. */
  readonly data: readonly string[];
}

/** The result of `validateFlow`. */
export interface FlowValidation {
  /** Sorted by position; the flow can be published only when this is empty. */
  readonly errors: readonly ValidationError[];
  /** Sorted by position; they never block publishing: too long text, missing alternative text, a newer version. */
  readonly hints: readonly ValidationError[];
  /** The number of errors found beyond those listed; the validator stops collecting after 10,000. */
  readonly unlistedErrors: number;
  readonly outline: FlowOutline;
}

export interface ValidateOptions {
  /**
   * How to treat a version above the newest known one. `hint` (default): check it by the rules of the newest known version and add a
   * hint, because the interface accepts "7.2 or higher". `refuse`: report an error, as the network does.
   */
  readonly newerVersions?: 'hint' | 'refuse';
  /** The maximum number of errors to list, and of hints to list; default 500. */
  readonly maxListed?: number;
}
