import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Tap } from '#core/testing';

/** A new empty folder that is deleted when the test ends. */
export function freshFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a running platform's folder, as if its process had ended now. */
export function crashed(t: Tap, folder: string): string {
  const copy = freshFolder(t);
  cpSync(folder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  return copy;
}
