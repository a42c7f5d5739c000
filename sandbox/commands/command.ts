/** Exit codes, the same for every command. */
export const exit = { ok: 0, failed: 1, usage: 2, notRunning: 3, inUse: 4, timeout: 5, internal: 70, interrupted: 130 } as const;

export interface Terminal {
  /** Results: what a program would read. */
  out(line: string): void;
  /** Everything else. */
  err(line: string): void;
  readonly isColoured: boolean;
  readonly cwd: string;
}

/** A verb of the command line. */
export interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly flags: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly help: string }>>;
  /** @returns the exit code */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}

export const notRunning = 'No sandbox is running here. Start one in another terminal: npx posthorn sandbox (in a checkout: npm start)';
