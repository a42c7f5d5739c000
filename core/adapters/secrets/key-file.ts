import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** In the data folder. */
export const KEY_FILE = 'secrets.key';
const KEY_BYTES = 32;

const PUT_BACK = 'Put it back from a backup of the folder: without the key the secrets in the folder cannot be read';

/**
 * Reads the key from a file that only its owner can read; creates the file on first use. One line of hexadecimal digits.
 * @param isNeeded whether secrets are already encrypted with the key, so that a new key could not decrypt them
 */
export function keyFrom(file: string, isNeeded = false): Uint8Array {
  const found = read(file);
  if (found === undefined && isNeeded) throw new Error(`${file} is missing. ${PUT_BACK}`);
  const text = found ?? create(file);
  const key = keyIn(text);
  if (!key) throw new Error(`${file} does not contain a key: expected ${KEY_BYTES * 2} hexadecimal digits. ${PUT_BACK}`);
  return key;
}

/** @returns undefined when the text is not a key */
export function keyIn(text: string): Uint8Array | undefined {
  const digits = text.trim();
  const key = Buffer.from(digits, 'hex');
  return key.length === KEY_BYTES && digits.length === KEY_BYTES * 2 ? key : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function create(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
  // Never overwrites: another process may have created the file first and already used its key.
  const descriptor = openExclusively(file);
  if (descriptor === undefined) return readFileSync(file, 'utf8');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return text;
}

function openExclusively(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}
