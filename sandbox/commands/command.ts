import type { Flag } from '../terminal/flags.js';
import type { Terminal } from '../terminal/terminal.js';

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
