import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../terminal/flags.js';

/** The file by which other commands find a running sandbox. The sandbox writes the file when it is ready, and removes it when it stops. */
export interface RunFile {
  readonly pid: number;
  readonly startedAt: string;
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  /** URL of the example connector to which messages of contacts are posted; absent without the demo. */
  readonly phone?: string | undefined;
  /** Absent without the console. */
  readonly console?: { readonly url: string } | undefined;
}

/** The files that configure the sandbox of a project, in its folder. */
export const CONFIG_FILES = ['posthorn.config.json', 'posthorn.config.ts'] as const;

/** One file per sandbox, so that two sandboxes in the same folder do not overwrite each other's file. */
const FOLDER = '.posthorn';
const NAME = /^run-\d+\.json$/;

/**
 * Writes the run file, readable for its owner only and ignored by git, as it contains the admin key. Removes files of processes
 * that have ended. @returns a function that removes the file @throws when it cannot be written
 */
export function writeRunFile(folder: string, run: RunFile): () => void {
  const place = createOwnFolder(folder);
  const file = join(place, `run-${run.pid}.json`);
  for (const { file, run } of runFilesIn(place)) if (!run || !isAlive(run.pid)) rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(run, null, 2), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Git ignores everything in the folder except the cassettes, which belong to the tests of a project. */
const IGNORED = '*\n!/cassettes/\n!/cassettes/**\n';

/**
 * Creates the folder of a sandbox's own files in a folder: readable for its owner only, and ignored by git except for its cassettes.
 * @returns its path
 */
export function createOwnFolder(folder: string): string {
  const place = ownFolder(folder);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  writeFileSync(join(place, '.gitignore'), IGNORED);
  return place;
}

/** The path of the folder of a sandbox's own files, which may not exist. */
export const ownFolder = (folder: string): string => join(folder, FOLDER);

/** No sandbox runs in this folder, and the command needs one. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';

  constructor() {
    super('no sandbox is running in this folder. Start one in another terminal: npx posthorn sandbox');
  }
}

/** Finds the platform for a command. @throws NoSandbox, UsageError */
export function requireRun(from: string): RunFile {
  const run = findRunFile(from);
  if (!run) throw new NoSandbox();
  return run;
}

/**
 * Finds the platform at `POSTHORN_URL`, or else the sandbox that runs in this folder or in the nearest parent folder; the newest one if
 * several run there. A folder with a configuration is a project of its own: the sandboxes of its parent folders have other numbers.
 * @throws UsageError when the admin key of the platform at `POSTHORN_URL` is unknown
 */
export function findRunFile(from: string, environment: NodeJS.ProcessEnv = process.env): RunFile | undefined {
  const { POSTHORN_URL: url, POSTHORN_ADMIN_KEY: key } = environment;
  if (!url) return runNear(from, { isWanted: () => true, isProject: hasConfig });
  const api = url.replace(/\/+$/, '');
  const near = runNear(from, { isWanted: (run) => run.api === api, isProject: () => false });
  if (key) return { pid: 0, startedAt: '', ...near, api, admin: { url: `${api}/admin/v1`, key } };
  if (near) return near;
  throw new UsageError(`the admin key of ${api} is unknown; set POSTHORN_ADMIN_KEY`);
}

const hasConfig = (folder: string): boolean => CONFIG_FILES.some((name) => existsSync(join(folder, name)));

interface Search {
  isWanted(run: RunFile): boolean;
  /** Whether the search ends at this folder. */
  isProject(folder: string): boolean;
}

function runNear(from: string, { isWanted, isProject }: Search): RunFile | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const runs = runFilesIn(ownFolder(folder)).flatMap(({ run }) => (run && isAlive(run.pid) && isWanted(run) ? [run] : []));
    const [newest] = runs.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    if (newest || folder === dirname(folder) || isProject(folder)) return newest;
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
    // The file is incomplete, or a sandbox that has just stopped removed it: treat the file as absent.
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
