import type { Flag } from '../terminal/flags.js';
import type { Terminal } from '../terminal/terminal.js';

/** A command. It imports its dependencies when it runs, so that the other commands start quickly. */
export interface Command {
  readonly summary: string;
  /** The command line without `posthorn`: `send [TEXT] [flags]`. */
  readonly usage: string;
  readonly notes?: readonly string[];
  readonly flags: Readonly<Record<string, Flag<unknown>>>;
  /** @returns the exit code */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}

/** No sandbox runs in this folder, and the command needs one. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';

  constructor() {
    super('no sandbox is running in this folder. Start one in another terminal: npx posthorn sandbox (in a checkout: npm start)');
  }
}
