import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What other commands need to find a running sandbox: written when it is ready, removed when it stops. */
export interface RunFile {
  readonly pid: number;
  readonly startedAt: string;
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  /** Where the example connector takes what a contact writes; absent without the demo. */
  readonly phone?: string | undefined;
}

/** One file per sandbox, so that two in the same folder leave each other alone. */
const FOLDER = '.posthorn';
const NAME = /^run-\d+\.json$/;

/** Nobody else may read it, as it holds the admin key; nor should it be committed. @returns removes it @throws when it cannot be written */
export function writeRunFile(folder: string, run: RunFile): () => void {
  const place = join(folder, FOLDER);
  const file = join(place, `run-${run.pid}.json`);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const { file, run } of runFilesIn(place)) if (!run || !isAlive(run.pid)) rmSync(file, { force: true });
  writeFileSync(join(place, '.gitignore'), '*\n');
  writeFileSync(file, JSON.stringify(run, null, 2), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The sandbox that runs here or in the nearest folder above; the newest one of several. */
export function findRunFile(from: string): RunFile | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const runs = runFilesIn(join(folder, FOLDER)).flatMap(({ run }) => (run && isAlive(run.pid) ? [run] : []));
    const [newest] = runs.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    if (newest || folder === dirname(folder)) return newest;
  }
}

function runFilesIn(place: string): { file: string; run: RunFile | undefined }[] {
  if (!existsSync(place)) return [];
  const names = readdirSync(place).filter((name) => NAME.test(name));
  return names.map((name) => ({ file: join(place, name), run: readRunFile(join(place, name)) }));
}

function readRunFile(file: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunFile;
  } catch {
    // Removed by a sandbox that has just stopped, or cut off: as good as none.
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
