import type { Secrets } from '../ports/secrets.js';
import { REDACTED } from './plain-fields.js';

/** Shorter ones would be found in words that have nothing to do with them. */
const SHORTEST = 8;
/** Characters of a text that are looked at; a line has room for fewer. */
const MOST = 64 * 1024;

/** What must be in no line of the log, whoever wrote it into whatever: the values that the platform itself keeps secret. */
export class KnownSecrets {
  readonly #values = new Set<string>();
  /** As they are and as they are usually written into other texts. The longest first, as one may be in another. */
  #forms: readonly string[] | undefined;

  learn(value: string): void {
    if (value.length < SHORTEST || this.#values.has(value)) return;
    this.#values.add(value);
    this.#forms = undefined;
  }

  /** Secrets whose values are known from when they come in or go out. */
  of(secrets: Secrets): Secrets {
    return {
      get: async (name) => {
        const value = await secrets.get(name);
        if (value !== undefined) this.learn(value);
        return value;
      },
      put: (tx, name, value) => {
        this.learn(value);
        secrets.put(tx, name, value);
      },
      delete: (tx, name) => secrets.delete(tx, name),
    };
  }

  readonly mask = (text: string): string => {
    if (text.length < SHORTEST) return text;
    this.#forms ??= [...this.#values].flatMap(formsOf).sort((a, b) => b.length - a.length);
    let masked = text.slice(0, MOST);
    for (const form of this.#forms) if (masked.includes(form)) masked = masked.replaceAll(form, REDACTED);
    // A secret may have been cut in two.
    return text.length > MOST ? masked.slice(0, -(this.#forms[0]?.length ?? 1)) : masked;
  };
}

function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [...new Set([value, base64, encoded(value), JSON.stringify(value).slice(1, -1)])];
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a character that takes two cannot be encoded, so nobody has written it so.
    return value;
  }
}
