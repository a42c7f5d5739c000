import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What other commands need to find a running sandbox: written when it is ready, removed when it stops. */
export interface RunFile {
  readonly pid: number;
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  /** Where the example connector takes what a contact writes; absent without the demo. */
  readonly phone?: string;
}

const NAME = join('.posthorn', 'run.json');

/** It holds the admin key, so nobody else may read it. */
export function writeRunFile(folder: string, run: RunFile): () => void {
  const file = join(folder, NAME);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(run, null, 2), { mode: 0o600 });
  return () => {
    if (readRunFile(file)?.pid === run.pid) rmSync(file, { force: true });
  };
}

/** The sandbox that runs here or in a folder above. */
export function findRunFile(from: string): RunFile | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const run = readRunFile(join(folder, NAME));
    if (run && isAlive(run.pid)) return run;
    if (folder === dirname(folder)) return undefined;
  }
}

function readRunFile(file: string): RunFile | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunFile;
  } catch {
    // Half-written by a sandbox that is starting, or not ours: as good as none.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
