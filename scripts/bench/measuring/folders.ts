import { mkdirSync, mkdtempSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The type of tmpfs in statfs(2). On tmpfs, fdatasync does nothing, so durable writes would cost nothing. */
const TMPFS = 0x01021994;
const ON_DISK = '.build-bench-data';

/** Creates a temporary folder on a real disk: in the system's folder, or below the working directory if that one is in memory. */
export function folderOnDisk(): string {
  if (statfsSync(tmpdir()).type !== TMPFS) return mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  mkdirSync(ON_DISK, { recursive: true });
  return mkdtempSync(join(process.cwd(), ON_DISK, 'posthorn-bench-'));
}

/** Total size of all files below a folder, in bytes. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.size : 0);
  }, 0);
}
