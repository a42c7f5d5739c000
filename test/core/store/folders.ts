import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Tap } from '#core/testing';

/** An empty folder that is gone when the test ends. */
export function freshFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The state of a platform that runs, as it would be found if the process ended now. */
export function crashed(t: Tap, folder: string): string {
  const copy = freshFolder(t);
  cpSync(folder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  return copy;
}
