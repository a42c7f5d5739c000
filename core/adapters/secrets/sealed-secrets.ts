import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Secrets } from '../../ports/secrets.js';
import { collection, type ReadableCollection, type Store, type StoreTransaction } from '../../ports/store.js';

export interface SealedSecret {
  readonly name: string;
  /** The id of the encryption key. */
  readonly key_id: string;
  /** Base64 of nonce, ciphertext and authentication tag, concatenated. */
  readonly sealed: string;
}

/** The caller defines it as `core.secrets`. */
export const sealedSecrets = collection<SealedSecret>({ key: 'name', tenant: { mentions: 'name', orGlobal: true } });

export interface SealedSecretsOptions {
  readonly store: Store;
  /**
   * 32 bytes, or a function that returns them on first use. Its argument is true if secrets exist that only the existing key can
   * decrypt. Without the key the secrets are lost.
   */
  readonly key: Uint8Array | ((isToOpen: boolean) => Uint8Array);
  /** Keys that were used before. `start` encrypts their secrets with the current key, so that they are not needed any more. */
  readonly previousKeys?: readonly Uint8Array[];
}

/** An id that does not reveal the key. */
export const keyIdOf = (key: Uint8Array): string =>
  createHash('sha256').update('posthorn secrets key').update(key).digest('hex').slice(0, 8);

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_RECENT = 1_000;

/** A stored secret cannot be decrypted. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

/** Secrets in the store, encrypted with AES-256-GCM. The name is authenticated too, so that a value cannot be moved to another name. */
export class SealedSecrets implements Secrets {
  readonly #store: Store;
  readonly #givenKey: SealedSecretsOptions['key'];
  readonly #previous: readonly LoadedKey[];
  /** Decrypted values with their ciphertexts: a sender without a thread, and plugins, need the same secret again and again. */
  readonly #recent = new Map<string, { readonly sealed: string; readonly value: string }>();
  #opened: ReadableCollection<SealedSecret> | undefined;
  #loaded: LoadedKey | undefined;

  constructor({ store, key, previousKeys = [] }: SealedSecretsOptions) {
    this.#store = store;
    this.#givenKey = key;
    this.#previous = previousKeys.map(loaded);
    if (typeof key !== 'function') this.#key();
  }

  async get(name: string): Promise<string | undefined> {
    this.#opened ??= this.#store.open(sealedSecrets);
    const record = await this.#opened.get(name);
    if (!record) return undefined;
    const known = this.#recent.get(name);
    if (known?.sealed === record.sealed) return known.value;
    const value = this.#open(record);
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear();
    this.#recent.set(name, { sealed: record.sealed, value });
    return value;
  }

  async names(): Promise<string[]> {
    return (await this.#store.open(sealedSecrets).list()).map(({ name }) => name);
  }

  put(tx: StoreTransaction, name: string, value: string): void {
    const { key, id } = this.#key();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    tx.in(sealedSecrets).put({ name, key_id: id, sealed: sealed.toString('base64') });
  }

  delete(tx: StoreTransaction, name: string): void {
    tx.in(sealedSecrets).delete(name);
  }

  async start(): Promise<void> {
    if (this.#previous.length === 0) return;
    const { id } = this.#key(true);
    const isOld = (record: SealedSecret | undefined): record is SealedSecret => record !== undefined && record.key_id !== id;
    for (const { name } of (await this.#store.open(sealedSecrets).list()).filter(isOld)) {
      // One by one, because they belong to different tenants.
      await this.#store.transaction(async (tx) => {
        const record = await tx.in(sealedSecrets).get(name);
        if (isOld(record)) this.put(tx, name, this.#open(record));
      });
    }
  }

  #open({ name, key_id, sealed }: SealedSecret): string {
    const current = this.#key(true);
    const { id } = current;
    const key = [current, ...this.#previous].find((one) => one.id === key_id)?.key;
    if (!key) {
      const advice = 'Start with the key that belongs to this state: secrets.key from a backup of the folder, or the option secretKey';
      throw new SecretUnreadable(`the secret '${name}' was encrypted with key ${key_id}, but this is key ${id}. ${advice}`);
    }
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(-TAG_BYTES);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name)).setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      // The error of node:crypto is not useful, and must not leak the value.
      throw new SecretUnreadable(`the secret '${name}' is damaged, or was encrypted under another name`);
    }
  }

  #key(isToOpen = false): LoadedKey {
    if (this.#loaded) return this.#loaded;
    const bytes = typeof this.#givenKey === 'function' ? this.#givenKey(isToOpen) : this.#givenKey;
    this.#loaded = loaded(bytes);
    return this.#loaded;
  }
}

interface LoadedKey {
  readonly key: KeyObject;
  readonly id: string;
}

function loaded(bytes: Uint8Array): LoadedKey {
  if (bytes.length !== KEY_BYTES) throw new TypeError(`the secret key has ${bytes.length} bytes instead of ${KEY_BYTES}`);
  return { key: createSecretKey(bytes), id: keyIdOf(bytes) };
}
