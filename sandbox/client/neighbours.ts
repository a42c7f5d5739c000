import { basename, join } from 'node:path';
import type { SandboxStatus } from '../server/status-route.js';
import { watchFiles } from '../terminal/watch-files.js';
import { isRunFile, ownFolder, type RunFile, removeRunFile, runsIn } from './run-file.js';

const PATIENCE_MS = 2_000;

/**
 * Whether the process of a run file is its sandbox: after a crash, another program can have its process id or its port. A sandbox that is
 * too busy to respond is one.
 */
export async function isSandbox({ pid, admin: { url, key } }: RunFile): Promise<boolean> {
  try {
    const request = { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(PATIENCE_MS) };
    const response = await fetch(`${url}/sandbox`, request);
    if (!response.ok) return response.status !== 401;
    const status = (await response.json()) as Partial<SandboxStatus>;
    // Earlier releases do not state it.
    return (status.pid ?? pid) === pid;
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError';
  }
}

/** The sandboxes that run in a folder, oldest first. Removes the files of those that do not respond. */
export async function sandboxesIn(folder: string): Promise<RunFile[]> {
  const runs = runsIn(folder);
  const answers = await Promise.all(runs.map(isSandbox));
  for (const [i, run] of runs.entries()) if (!answers[i]) removeRunFile(folder, run);
  return runs.filter((_, i) => answers[i]);
}

/** The sentence about a sandbox that runs in the same folder, for the terminal of the newer one. */
export const besideOlder = (older: RunFile, { api }: Pick<RunFile, 'api'>): string =>
  `another sandbox runs in this folder, at ${older.api} (process ${older.pid}). Commands such as send, status and open use that one; add --url ${api} for this one`;

interface Neighbours {
  readonly own: RunFile;
  /** Those that ran in the folder before. */
  readonly older: readonly RunFile[];
}

/**
 * Says when another sandbox starts in the folder of this one, and when commands begin to use this one because the older ones have stopped.
 * @throws when the folder cannot be watched
 */
export function watchNeighbours(folder: string, { own, older }: Neighbours, notify: (sentence: string) => void, signal: AbortSignal): void {
  const known = new Set([own, ...older].map(({ pid }) => pid));
  let used = older[0]?.pid ?? own.pid;
  const look = (): void => {
    const runs = runsIn(folder);
    for (const { pid, api } of runs) {
      if (known.has(pid)) continue;
      known.add(pid);
      const which = runs[0]!.pid === own.pid ? 'this one' : `the one at ${runs[0]!.api}`;
      notify(`another sandbox has started in this folder, at ${api} (process ${pid}). Commands continue to use ${which}`);
    }
    const next = runs[0]?.pid ?? own.pid;
    if (next === own.pid && used !== own.pid) notify('the other sandbox of this folder has stopped; commands use this one now');
    used = next;
  };
  watchFiles([join(ownFolder(folder), `run-${own.pid}.json`)], look, signal, (path) => isRunFile(basename(path)));
  look();
}
