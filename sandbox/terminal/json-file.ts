import { readFileSync } from 'node:fs';
import { UsageError } from './flags.js';

/** @param change changes the text before it is parsed. @throws UsageError, which names the file, when it cannot be read or is not JSON */
export function readJsonFile(file: string, change = (text: string): string => text): object {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseJsonFile(file, change(text));
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
