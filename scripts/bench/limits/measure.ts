import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../measuring/table.js';
import type { Kind } from './kinds.js';

export const ROUNDS = 3;

/** A temporary folder for measurements; the caller removes it. */
export const newRoot = (): string => mkdtempSync(join(tmpdir(), 'posthorn-bench-'));

/** Sizes in bytes while and after a data folder was filled. */
export interface Filled {
  readonly before: number;
  readonly max: number;
  readonly after: number;
  readonly journal: number;
  /** Bytes of the journal that merges have read, and bytes that they have written. */
  readonly merges: { readonly journal: number; readonly written: number };
}

interface Opened {
  readonly ms: number;
  readonly cpuMs: number;
  readonly heap: number;
  readonly rss: number;
  readonly peak: number;
}

/** How a platform starts with a folder of this kind: medians; times in milliseconds, sizes in bytes. */
export interface Measured extends Opened {
  readonly kind: Kind;
  readonly filled: Filled;
  /** Bytes written by merges per byte of the journal; 0 without merges. */
  readonly writeAmplification: number;
}

/** Fills a folder below `root` in a process of its own, and starts a platform with copies of it. */
export function measure(root: string, kind: Kind): Measured {
  const [folder, copy] = [join(root, kind), join(root, 'copy')];
  mkdirSync(folder);
  const filled = run<Filled>('fill', folder, kind);
  const runs = Array.from({ length: ROUNDS }, () => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'lock'), { force: true });
    return run<Opened>('open', copy);
  });
  rmSync(folder, { recursive: true });
  const of = (what: keyof Opened): number => median(runs.map((opened) => opened[what]));
  const { journal, written } = filled.merges;
  const writeAmplification = journal === 0 ? 0 : written / journal;
  return { kind, filled, writeAmplification, ms: of('ms'), cpuMs: of('cpuMs'), heap: of('heap'), rss: of('rss'), peak: of('peak') };
}

/** Runs a script of this folder in its own process. @returns its output */
function run<T>(script: 'fill' | 'open', ...args: string[]): T {
  const file = join(import.meta.dirname, `${script}.js`);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', file, ...args], { encoding: 'utf8' })) as T;
}
