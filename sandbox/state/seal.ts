import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';

/** An encrypted text. All values are base64. */
export interface Sealed {
  readonly kdf: 'scrypt';
  readonly cipher: 'aes-256-gcm';
  readonly salt: string;
  readonly nonce: string;
  /** Ciphertext and authentication tag. */
  readonly data: string;
}

const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 32 MiB and about 100 ms for each guess of the passphrase. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const PURPOSE = Buffer.from('posthorn exported state');

/** Encrypts a text under a passphrase. The result differs each time. */
export async function seal(text: string, passphrase: string): Promise<Sealed> {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce).setAAD(PURPOSE);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { kdf: 'scrypt', cipher: 'aes-256-gcm', salt: base64(salt), nonce: base64(nonce), data: base64(data) };
}

/** @returns undefined when the passphrase is wrong or the text was changed */
export async function unseal({ salt, nonce, data }: Sealed, passphrase: string): Promise<string | undefined> {
  const bytes = bytesOf(data);
  const key = await keyOf(passphrase, bytesOf(salt));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytesOf(nonce), { authTagLength: TAG_BYTES })
      .setAAD(PURPOSE)
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    // The error of node:crypto does not say which of the two it was.
    return undefined;
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const bytesOf = (text: unknown): Buffer => Buffer.from(String(text), 'base64');

const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
