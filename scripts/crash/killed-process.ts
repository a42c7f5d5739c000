import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a script until it is killed, `aliveMs` after its first output on standard error. Its standard output has a line for each message that
 * was acknowledged: the number of the conversation and that of the message.
 * @param acknowledged the newest message of each conversation; changed
 */
export async function runUntilKilled(
  script: string,
  args: readonly string[],
  { folder, acknowledged, aliveMs }: { readonly folder: string; readonly acknowledged: number[]; readonly aliveMs: number },
): Promise<void> {
  // A file, and not a pipe: output in a full pipe would be lost with the killed process.
  const path = `${folder}.acknowledged`;
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close');
  await Promise.race([once(child.stderr!, 'data'), ended]);
  await sleep(aliveMs);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself: ${output}`);
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [conversation, n] = line.split(' ').map(Number);
    acknowledged[conversation!] = n!;
  }
}
