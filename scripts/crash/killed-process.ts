import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  /** Kills the process immediately. */
  kill(): void;
  /** Calls the listener with each part of the standard error. */
  onError(listener: (text: string) => void): void;
}

/**
 * Runs a script until it is killed: when `until` resolves, which is called at its first output on standard error, or before that by `until`
 * itself. @returns the lines of its standard output
 * @throws Error when the process ends by itself
 */
export async function runUntilKilled(
  script: string,
  args: readonly string[],
  { output: path, until }: { readonly output: string; readonly until: (running: RunningProcess) => Promise<unknown> },
): Promise<string[]> {
  // A file, and not a pipe: output in a full pipe would be lost with the killed process.
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text) => (errors += text));
  const ended = once(child, 'close');
  await Promise.race([once(child.stderr!, 'data'), ended]);
  await Promise.race([until({ kill: () => child.kill('SIGKILL'), onError: (listener) => child.stderr!.on('data', listener) }), ended]);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself: ${errors}`);
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
