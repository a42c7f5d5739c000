/** Exit codes, the same for every command. */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  inUse: 4,
  timeout: 5,
  snapshots: 7,
  internal: 70,
  interrupted: 130,
} as const;

/** The output of a command, and its working directory. */
export interface Terminal {
  /** Writes a line of the result to standard output. */
  out(line: string): void;
  /** Writes the content of a file to standard output: unchanged, unless a screen shows it. Without it, `out` writes the text. */
  file?(content: string | Buffer): void;
  /** Writes any other line to standard error. */
  err(line: string): void;
  readonly isColoured: boolean;
  /** Whether `out` may contain links. */
  readonly hasLinks?: boolean;
  /** The width of the screen; undefined if the output goes to a pipe or a file, which gets everything. */
  readonly columns?: number | undefined;
  readonly cwd: string;
}
