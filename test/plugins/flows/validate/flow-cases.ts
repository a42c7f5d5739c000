import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'cases');

export const readCases = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;

/** Valid flows, with the names of their files. */
export const validFlows: readonly { readonly name: string; readonly text: string }[] = readdirSync(join(folder, 'valid'))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(folder, 'valid', name), 'utf8') }));
