import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from './flags.js';

/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * Replaces each folder by the files in it, and in the folders below it, whose names match.
 * @throws UsageError for a folder without such files, and when standard input is named twice
 */
export function expandFolders(files: readonly string[], cwd: string, name: RegExp): string[] {
  if (files.filter((file) => file === STDIN).length > 1) throw new UsageError('standard input (-) can be read only once');
  return files.flatMap((file) => {
    if (file === STDIN || !statSync(resolve(cwd, file), { throwIfNoEntry: false })?.isDirectory()) return [file];
    const found = readdirSync(resolve(cwd, file), { recursive: true, encoding: 'utf8' })
      .filter((path) => name.test(path) && !/(^|[\\/])(node_modules|\.)/.test(path))
      .sort();
    if (found.length === 0) throw new UsageError(`the folder ${file} has no files with names like ${exampleOf(name)}`);
    return found.map((path) => join(file, path));
  });
}

/** Reads the bytes of a file, or of standard input. @throws UsageError when they cannot be read */
export function readInput(file: string, cwd: string): Buffer {
  try {
    return readFileSync(file === STDIN ? 0 : resolve(cwd, file));
  } catch (error) {
    throw new UsageError(`${shownName(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The name of an input in messages. */
export const shownName = (file: string): string => (file === STDIN ? 'standard input' : file);

export const JOURNEY_FILES = /\.journey\.(?:json|md|markdown)$/;
export const NOTEBOOK_FILES = /\.journey\.(?:md|markdown)$/;
export const FLOW_FILES = /(?<!\.journey)\.json$/;

export const TEST_FILES = /\.test\.ya?ml$/;

const EXAMPLES = new Map([
  [JOURNEY_FILES, '*.journey.json or *.journey.md'],
  [NOTEBOOK_FILES, '*.journey.md'],
  [TEST_FILES, '*.test.yaml'],
]);
const exampleOf = (name: RegExp): string => EXAMPLES.get(name) ?? '*.json';
