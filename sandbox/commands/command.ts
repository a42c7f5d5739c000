import type { Flag } from '../terminal/flags.js';

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

/** A verb of the command line. What it needs is loaded when it runs, so that the others stay quick. */
export interface Command {
  readonly summary: string;
  /** How it is called, without `posthorn`. */
  readonly usage: string;
  /** What its help says beside its flags. */
  readonly notes?: readonly string[];
  readonly flags: Readonly<Record<string, Flag<unknown>>>;
  /** @returns the exit code */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}

/** A command needs a sandbox, and none runs here. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';

  constructor() {
    super('no sandbox runs here. Start one in another terminal, in this folder: npx posthorn sandbox (in a checkout: npm start)');
  }
}
