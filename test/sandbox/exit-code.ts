import { NoSandbox } from '../../sandbox/client/run-file.js';
import { failureOf } from '../../sandbox/terminal/failure.js';
import { UsageError } from '../../sandbox/terminal/flags.js';

/**
 * The exit code of a command that runs in this process. Adds the lines of a failure to its errors, as the command line prints them.
 * @throws UsageError, NoSandbox
 */
export async function exitCodeOf(run: Promise<number>, err: string[]): Promise<number> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof UsageError || error instanceof NoSandbox) throw error;
    const { message, code, next, exit } = failureOf(error, 'COMMAND', undefined, []);
    err.push(`posthorn: ${message}`, `Code: ${code}`, `Try: ${next}`);
    return exit;
  }
}
