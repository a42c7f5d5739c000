import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FileSystem, hasCode, readFully } from '../../file-system.js';

/** Another process uses the folder, or may be using it. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** Identifies a process, even after its id was assigned to another one. Outside Linux only `pid` and `host` are known. */
interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** The boot id of the machine. */
  readonly boot?: string;
  /** The pid namespace: each container has its own. */
  readonly space?: string;
  readonly started?: string;
}

const LOCK = 'lock';
/** Exists while a lock is being taken over, so that only one process does so. */
const TAKING_OVER = 'lock.taking-over';
const HALF_WRITTEN_MS = 250;
/** How often the owner touches the lock. Other processes use the time only if they cannot check whether the owner is running. */
const BEAT_MS = 2_000;
const BEATS_MISSED = 5;

export interface LockOptions {
  /** Called when another process has taken the folder over because this one seemed to have ended. */
  readonly onLost: () => void;
  readonly beatMs?: number;
}

/** Locks a folder against other processes. @returns a function that unlocks it @throws FolderInUse */
export async function lockFolder(fs: FileSystem, folder: string, { onLost, beatMs = BEAT_MS }: LockOptions): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  if (!(await create(fs, path))) await takeOver(fs, folder, path, beatMs);
  const ours = lockText();
  const isOurs = async () => (await readFully(fs, path))?.toString() === ours;
  const beat = setInterval(async () => {
    try {
      if (await isOurs()) return await fs.touch(path);
    } catch {
      // A temporary disk failure does not mean that the lock is lost.
      return;
    }
    clearInterval(beat);
    onLost();
  }, beatMs).unref();
  return async () => {
    clearInterval(beat);
    if (await isOurs()) await fs.remove(path);
  };
}

/** Checks without locking. @throws FolderInUse when a process uses the folder, or may be using it */
export async function assertNotInUse(fs: FileSystem, folder: string, beatMs: number = BEAT_MS): Promise<void> {
  const holder = await readOwner(fs, join(folder, LOCK));
  const verdict = holder ? isOwnerAlive(holder) : 'gone';
  if (verdict === 'alive' || (verdict === 'unknown' && (await isBeating(fs, folder, beatMs)))) throw inUse(folder, holder!);
}

async function takeOver(fs: FileSystem, folder: string, path: string, beatMs: number): Promise<void> {
  const taking = join(folder, TAKING_OVER);
  if (!(await create(fs, taking))) {
    throw new FolderInUse(`Another process is opening ${folder}. If there is none, remove ${taking} and retry.`);
  }
  try {
    let holder = await readOwner(fs, path);
    if (!holder) {
      // Another process is writing the lock, or died while doing so.
      await wait(HALF_WRITTEN_MS);
      holder = await readOwner(fs, path);
    }
    const verdict = holder ? isOwnerAlive(holder) : 'gone';
    if (verdict === 'alive' || (verdict === 'unknown' && (await isBeating(fs, folder, beatMs)))) throw inUse(folder, holder!);
    await fs.remove(path);
    if (!(await create(fs, path)))
      throw new FolderInUse(`Another process has just opened ${folder}. Stop it first, or choose another folder.`);
  } finally {
    await fs.remove(taking);
  }
}

async function create(fs: FileSystem, path: string): Promise<boolean> {
  try {
    const file = await fs.open(path, 'create');
    try {
      await file.write(Buffer.from(lockText()));
    } catch (error) {
      // A file that stays behind, on a full disk, would keep later starts from taking the folder over.
      await fs.remove(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readOwner(fs: FileSystem, path: string): Promise<LockOwner | undefined> {
  const content = await readFully(fs, path).catch((error: unknown) => {
    throw hasCode(error, 'EISDIR') ? new Error(`${path} is a folder, but the lock must be a file. Move the folder away`) : error;
  });
  try {
    const { pid, host, ...more } = JSON.parse(content?.toString() ?? '') as Partial<LockOwner>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host, ...more } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the lock is running. Detects another process that has been assigned the same id. */
function isOwnerAlive({ pid, host, boot, space, started }: LockOwner): 'alive' | 'gone' | 'unknown' {
  if (host !== hostname()) return 'unknown';
  const now = describe(pid);
  if (boot !== undefined && now.boot !== undefined && boot !== now.boot) return 'gone';
  if (space !== now.space) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return 'gone';
  }
  if (started === undefined || now.started === undefined) return 'unknown';
  return started === now.started ? 'alive' : 'gone';
}

async function isBeating(fs: FileSystem, folder: string, beatMs: number): Promise<boolean> {
  const lastBeat = async () => (await fs.list(folder)).find(({ name }) => name === LOCK)?.changedAt.getTime();
  const first = await lastBeat();
  for (let waited = 0; waited < BEATS_MISSED * beatMs; waited += beatMs / 4) {
    await wait(beatMs / 4);
    if ((await lastBeat()) !== first) return true;
  }
  return false;
}

function inUse(folder: string, { pid, host }: LockOwner): FolderInUse {
  const owner = pid === process.pid && host === hostname() ? `this process (${pid})` : `process ${pid}`;
  return new FolderInUse(
    `${folder} is in use by ${owner}${host === hostname() ? '' : ` on ${host}`}. Stop it first, or choose another folder.`,
  );
}

const lockText = (): string => `${JSON.stringify({ pid: process.pid, host: hostname(), ...describe(process.pid) } satisfies LockOwner)}\n`;

/** Linux-only properties of a process. */
function describe(pid: number): Pick<LockOwner, 'boot' | 'space' | 'started'> {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const space = readlinkSync('/proc/self/ns/pid');
    return { boot, space, ...startOf(pid) };
  } catch {
    return {};
  }
}

function startOf(pid: number): Pick<LockOwner, 'started'> {
  try {
    // The second field, the program name, is in parentheses and may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not collected its exit status yet.
    return { started: state === 'Z' ? 'over' : rest[18]! };
  } catch {
    return {};
  }
}
