import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FileSystem, hasCode, readWhole } from './file-system.js';

/** Another process works in the folder, or may do so. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/** A process, told apart from a later one with the same id. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the machine, and when the process was started, in the words of the system; absent where it does not say. */
  readonly boot?: string;
  readonly started?: string;
}

const LOCK = 'lock';
/** Held for the moment in which a lock is taken over, so that only one does it. */
const TAKING_OVER = 'lock.taking-over';
const HALF_WRITTEN_MS = 250;

/** Keeps other processes out of a folder. @returns lets them in again @throws FolderInUse */
export async function lockFolder(fs: FileSystem, folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  if (!(await create(fs, path))) {
    const taking = join(folder, TAKING_OVER);
    if (!(await create(fs, taking))) {
      throw new FolderInUse(`Another process is just opening ${folder}. If that is not so, remove ${taking} and try again.`);
    }
    try {
      await assertAbandoned(fs, folder, path);
      await fs.remove(path);
      if (!(await create(fs, path))) throw new FolderInUse(`Another process has just opened ${folder}.`);
    } finally {
      await fs.remove(taking);
    }
  }
  return async () => {
    const content = await readWhole(fs, path);
    if (content?.toString() === lockText()) await fs.remove(path);
  };
}

async function create(fs: FileSystem, path: string): Promise<boolean> {
  try {
    const file = await fs.open(path, 'create');
    await file.write(Buffer.from(lockText())).finally(() => file.close());
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function assertAbandoned(fs: FileSystem, folder: string, path: string): Promise<void> {
  let holder = await readHolder(fs, path);
  if (!holder) {
    // Somebody is just writing it, or died while doing so.
    await wait(HALF_WRITTEN_MS);
    holder = await readHolder(fs, path);
    if (!holder) return;
  }
  const { pid, host } = holder;
  if (host !== hostname()) {
    const advice = `If it does not run any more, remove ${path} and try again.`;
    throw new FolderInUse(`${folder} is in use by process ${pid} on ${host}, which cannot be looked at from here. ${advice}`);
  }
  if (isAlive(holder)) {
    const who = pid === process.pid ? `this process (${pid})` : `process ${pid}`;
    throw new FolderInUse(`${folder} is in use by ${who}. Stop it first, or choose another folder.`);
  }
}

async function readHolder(fs: FileSystem, path: string): Promise<Holder | undefined> {
  const content = await readWhole(fs, path);
  try {
    const { pid, host, ...more } = JSON.parse(content?.toString() ?? '') as Partial<Holder>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host, ...more } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the lock runs; another one that has got its id does not count. */
function isAlive({ pid, boot, started }: Holder): boolean {
  const now = describe(pid);
  if (boot !== undefined && now.boot !== undefined && boot !== now.boot) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return started === undefined || now.started === undefined || started === now.started;
}

const lockText = (): string => `${JSON.stringify({ pid: process.pid, host: hostname(), ...describe(process.pid) } satisfies Holder)}\n`;

/** What Linux knows of a process; elsewhere there is no telling without other programs. */
function describe(pid: number): Pick<Holder, 'boot' | 'started'> {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The 22nd field; the second, the name of the program, is in brackets and may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    // A container that is started again has the same ids in a new space of ids.
    return { boot, ...(started !== undefined && { started: `${readlinkSync('/proc/self/ns/pid')} ${started}` }) };
  } catch {
    return {};
  }
}
