import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Beside the data. */
export const KEY_FILE = 'secrets.key';
const KEY_BYTES = 32;

const PUT_BACK = 'Put it back from a backup of the folder: without the key the secrets in it cannot be read';

/**
 * The key in a file of its own, which only its owner can read; made the first time. One line of hexadecimal digits.
 * @param isNeeded something has been sealed with it, so that a new one would be of no use
 */
export function keyFrom(file: string, isNeeded = false): Uint8Array {
  const found = existing(file);
  if (found === undefined && isNeeded) throw new Error(`${file} is missing. ${PUT_BACK}`);
  const text = found ?? made(file);
  const key = keyIn(text);
  if (!key) throw new Error(`${file} does not hold a key: expected ${KEY_BYTES * 2} hexadecimal digits. ${PUT_BACK}`);
  return key;
}

/** Undefined when the text is no key. */
export function keyIn(text: string): Uint8Array | undefined {
  const digits = text.trim();
  const key = Buffer.from(digits, 'hex');
  return key.length === KEY_BYTES && digits.length === KEY_BYTES * 2 ? key : undefined;
}

function existing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function made(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
  // Never over an existing file: another process may have been quicker, and its key has been used.
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
