import { readFileSync } from 'node:fs';
import { UsageError } from './flags.js';

/** @throws UsageError when it cannot be read, Error when it is no JSON; both name the file */
export function readJsonFile(file: string): object {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    // Editors on Windows begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
