import { join } from 'node:path';
import { type FileSystem, readFully } from '../file-system.js';
import { KEY_FILE, keyIn } from './key-file.js';
import { keyIdOf, type SealedSecret } from './sealed-secrets.js';

/** Describes the problem of a folder's key file, and its fix; undefined if it fits the secrets in the folder. `sealed` maps names to JSON. */
export async function keyDamage(fs: FileSystem, folder: string, sealed: ReadonlyMap<string, string>): Promise<string | undefined> {
  const text = (await readFully(fs, join(folder, KEY_FILE)))?.toString();
  const keyIds = [...sealed.values()].map((json) => (JSON.parse(json) as SealedSecret).key_id);
  if (text === undefined) {
    return keyIds.length === 0
      ? undefined
      : `the file is missing, and ${count(keyIds)} encrypted with it cannot be read without it; restore it from a backup of the folder, or, if the platform uses secretKey, ${OWN_KEY}`;
  }
  const key = keyIn(text);
  if (!key) return 'it does not contain a key; restore it from a backup of the folder';
  const id = keyIdOf(key);
  const others = keyIds.filter((one) => one !== id);
  return others.length === 0
    ? undefined
    : `this is key ${id}, and ${count(others)} encrypted with key ${[...new Set(others)].join(' and ')} cannot be read with it; restore the key file from a backup of this folder`;
}

/** How to tell the check that the key is not in the folder. */
const OWN_KEY = 'pass --own-key (in code: hasOwnKey)';

const count = ({ length }: readonly unknown[]): string => (length === 1 ? 'a secret' : `${length} secrets`);
