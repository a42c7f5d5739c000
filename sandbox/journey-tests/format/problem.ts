/** A place in a file. Lines and columns count from 1, columns in UTF-16 units as in editors. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A mistake in a test file. */
export interface Problem {
  readonly message: string;
  readonly at: FilePosition;
}

/** Problems that are reported of one file. */
export const MAX_PROBLEMS = 20;
