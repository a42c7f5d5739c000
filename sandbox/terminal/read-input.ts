import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './flags.js';

/** Reads the bytes of a file, or of standard input for `-`. @throws UsageError when they cannot be read */
export function readInput(file: string, cwd: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : resolve(cwd, file));
  } catch (error) {
    throw new UsageError(`${file === '-' ? 'standard input' : file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
