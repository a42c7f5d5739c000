import type { Code } from './codes.js';

/** A place in the text: lines and columns count from 1, the end is included, columns are UTF-16 units. */
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

/** What is wrong, and where: the interface's validation error object. Its range is that of its first pointer. */
export interface ValidationError extends TextRange {
  readonly error: Code;
  readonly error_type: 'FLOW_JSON_ERROR' | 'FLOW_JSON_HINT';
  readonly message: string;
  readonly pointers: readonly Pointer[];
}

/** What a flow consists of, as far as it could be read: for those who start it or send it. */
export interface FlowOutline {
  readonly version?: string;
  /** Its presence makes a flow an endpoint flow. */
  readonly data_api_version?: string;
  readonly screens: readonly OutlinedScreen[];
  /** The ids of screens to which no route leads: where the flow begins. */
  readonly entries: readonly string[];
}

export interface OutlinedScreen {
  readonly id: string;
  readonly title?: string;
  readonly isTerminal: boolean;
  /** The names of the fields its data model declares. */
  readonly data: readonly string[];
}

/** What is wrong with a flow, and what it consists of as far as it could be read. */
export interface FlowValidation {
  /** What keeps the flow from being published, by position; empty when it is sound. */
  readonly errors: readonly ValidationError[];
  /** Advice, by position: over-long text, missing alternative text, a newer version. */
  readonly hints: readonly ValidationError[];
  /** How many errors were found beyond those listed; after a great many the search ends. */
  readonly unlistedErrors: number;
  readonly outline: FlowOutline;
}

export interface ValidateOptions {
  /**
   * What a version above the newest known one means. `hint` (the default): it is checked by the rules of the newest known
   * one and named in a hint, because the interface asks for 7.2 or higher. `refuse`: it is an error, as on the network.
   */
  readonly newerVersions?: 'hint' | 'refuse';
  /** The most errors, and the most hints, that are listed; 500 if not given. */
  readonly maxListed?: number;
}
