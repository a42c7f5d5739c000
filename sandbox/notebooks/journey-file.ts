import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { JsonObject } from '#core';
import { UsageError } from '../terminal/flags.js';
import { readInput, STDIN, shownName } from '../terminal/input-files.js';
import { parseJsonFile } from '../terminal/json-file.js';

const MAX_BYTES = 10 * 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A journey as its file has it: a container, or the text of a notebook. Both can be put as they are. */
export type JourneySource = { readonly definition: JsonObject } | { readonly notebook: string };

/** Whether a file contains a notebook: by its extension, or by its text if the extension says nothing. */
export function isNotebook(file: string, text: string): boolean {
  const extension = extname(file).toLowerCase();
  return extension !== '.json' && (['.md', '.markdown'].includes(extension) || !/^\ufeff?\s*[[{]/.test(text));
}

/**
 * The text of a file or of standard input, with its byte order mark and line ends.
 * @throws UsageError when it cannot be read, is not UTF-8, or is larger than 10 MiB
 */
export function textOfFile(file: string, cwd = '.'): string {
  const bytes = bytesOf(file, cwd);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UsageError(`${shownName(file)} is not UTF-8`);
  }
}

function bytesOf(file: string, cwd: string): Buffer {
  const size = file === STDIN ? 0 : statSync(resolve(cwd, file), { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new UsageError(`file ${file} not found`);
  const bytes = size > MAX_BYTES ? undefined : readable(file, cwd);
  if (bytes && bytes.length <= MAX_BYTES) return bytes;
  throw new UsageError(`${shownName(file)} is larger than 10 MB`);
}

function readable(file: string, cwd: string): Buffer {
  try {
    return readInput(file, cwd);
  } catch (error) {
    throw new UsageError(`${shownName(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads a journey file. @throws UsageError when it cannot be read, Error when it is neither JSON nor a notebook */
export function readJourneyFile(file: string, cwd?: string): JourneySource {
  const text = textOfFile(file, cwd);
  return isNotebook(file, text) ? { notebook: text } : { definition: parseJsonFile(file, text) as JsonObject };
}
