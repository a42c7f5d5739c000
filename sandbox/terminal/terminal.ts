/** Exit codes, the same for every command. */
export const exit = { ok: 0, failed: 1, usage: 2, notRunning: 3, inUse: 4, timeout: 5, internal: 70, interrupted: 130 } as const;

/** Where a command writes, and where it was called. */
export interface Terminal {
  /** Results: what a program would read. */
  out(line: string): void;
  /** Everything else. */
  err(line: string): void;
  readonly isColoured: boolean;
  readonly cwd: string;
}
