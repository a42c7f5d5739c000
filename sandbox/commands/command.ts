import type { Flag } from '../terminal/flags.js';
import type { Terminal } from '../terminal/terminal.js';

/** A command. It imports its dependencies when it runs, so that the other commands start quickly. */
export interface Command {
  readonly summary: string;
  /** The command line without `posthorn`: `send [TEXT] [flags]`. */
  readonly usage: string;
  /** Command lines without `posthorn`, for the help. */
  readonly examples: readonly string[];
  readonly notes?: readonly string[];
  readonly flags: Readonly<Record<string, Flag<unknown>>>;
  /** `commands` maps the name of each command to it. @returns the exit code */
  run(argv: readonly string[], terminal: Terminal, commands?: Readonly<Record<string, Command>>): Promise<number>;
}

export { NoSandbox } from '../client/run-file.js';
