import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../terminal/flags.js';

/** Writes a file for CI, whose folder often does not exist yet. */
export function writeReport(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Call before a long run, whose report would be lost. @throws UsageError if the file cannot be written */
export function assertWritable(flag: string, path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, '');
  } catch (error) {
    throw new UsageError(`--${flag} cannot be written: ${(error as Error).message}`);
  }
}
