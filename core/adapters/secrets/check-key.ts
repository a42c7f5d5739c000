import { join } from 'node:path';
import { type FileSystem, readFully } from '../file-system.js';
import { KEY_FILE, keyIn } from './key-file.js';
import { keyIdOf, type SealedSecret } from './sealed-secrets.js';

/** What is wrong with the key of a folder, as far as what was sealed can tell: without it nothing can be started there. */
export async function keyDamage(fs: FileSystem, folder: string, sealed: ReadonlyMap<string, string>): Promise<string | undefined> {
  const text = (await readFully(fs, join(folder, KEY_FILE)))?.toString();
  const wanted = [...sealed.values()].map((json) => (JSON.parse(json) as SealedSecret).key_id);
  if (text === undefined) {
    return wanted.length === 0
      ? undefined
      : `the file is missing, and ${count(wanted)} sealed with it cannot be read without it; if the platform is given secretKey, ${OWN_KEY}`;
  }
  const key = keyIn(text);
  if (!key) return 'it does not hold a key';
  const id = keyIdOf(key);
  const others = wanted.filter((one) => one !== id);
  return others.length === 0
    ? undefined
    : `this is key ${id}, and ${count(others)} sealed with key ${[...new Set(others)].join(' and ')} cannot be read with it`;
}

/** How whoever asks says so, of the commands and in code. */
const OWN_KEY = 'say so with --own-key (in code: hasOwnKey)';

const count = ({ length }: readonly unknown[]): string => (length === 1 ? 'a secret' : `${length} secrets`);
