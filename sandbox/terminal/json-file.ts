import { readFileSync } from 'node:fs';
import { withExactIntegers } from '#core/areas';
import { UsageError } from './flags.js';

/** @param exactIntegers keeps integers that a double would round. @throws UsageError, which names the file, when it cannot be read or is not JSON */
export function readJsonFile(file: string, { exactIntegers = false } = {}): object {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseJsonFile(file, exactIntegers ? withExactIntegers(text) : text);
}

/** @throws UsageError, which names the file, when its text is not JSON */
export function parseJsonFile(file: string, text: string): object {
  try {
    // Some editors on Windows write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
