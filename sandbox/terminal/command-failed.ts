import { exit } from './terminal.js';

export type FailureCode =
  | 'usage'
  | 'no_sandbox'
  | 'unreachable'
  | 'refused'
  | 'conflict'
  | 'in_use'
  | 'no_data'
  | 'not_found'
  | 'timeout'
  | 'coverage'
  | 'snapshots'
  | 'failed'
  | 'internal';

interface FailedOptions {
  /** Default: `failed`. */
  readonly code?: FailureCode;
  /** The command to run next. Default: the help of the command. */
  readonly next?: string | undefined;
  /** Default: 1. */
  readonly exit?: number;
  /** The result of the command so far. With `--json`, the line with the error has these fields, too. */
  readonly result?: object | undefined;
}

/** A command cannot do its work, or only a part of it. The command line prints the message, the code and the next command. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly code: FailureCode;
  readonly next: string | undefined;
  readonly exit: number;
  readonly result: object | undefined;

  constructor(message: string, { code = 'failed', next, exit: exitCode = exit.failed, result }: FailedOptions = {}) {
    super(message);
    this.code = code;
    this.next = next;
    this.exit = exitCode;
    this.result = result;
  }
}
