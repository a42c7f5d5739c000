import type { Secrets } from '../../ports/secrets.js';
import { REDACTED } from '../log/plain-fields.js';

/** Shorter ones would be found in words that have nothing to do with them. */
const MIN_LENGTH = 8;
/** Characters of a text that are looked at; a line has room for fewer. */
const MAX = 64 * 1024;

/** Of the beginnings of secrets; more bits than there are likely to be beginnings, so that most of a text is passed over at once. */
const BEGINNINGS = 2 ** 18;

/**
 * What must be in no line of the log, whoever wrote it into whatever: the values that the platform itself keeps secret. There
 * can be one for every webhook and every token, so what a text costs does not grow with their number.
 */
export class SecretMasker {
  readonly #values = new Set<string>();
  /** As they are and as they are usually written into other texts, by their first characters; the longest of these first. */
  readonly #forms = new Map<string, string[]>();
  readonly #beginnings = new Uint8Array(BEGINNINGS / 8);
  #longest = 1;

  add(value: string): void {
    if (value.length < MIN_LENGTH || this.#values.has(value)) return;
    this.#values.add(value);
    for (const form of formsOf(value)) {
      const beginning = form.slice(0, MIN_LENGTH);
      const alike = this.#forms.get(beginning) ?? [];
      if (alike.includes(form)) continue;
      this.#forms.set(
        beginning,
        [...alike, form].sort((a, b) => b.length - a.length),
      );
      const bit = beginningAt(form, 0);
      this.#beginnings[bit >> 3]! |= 1 << (bit & 7);
      this.#longest = Math.max(this.#longest, form.length);
    }
  }

  /** Secrets whose values are known from when they come in or go out. */
  of(secrets: Secrets): Secrets {
    return {
      get: async (name) => {
        const value = await secrets.get(name);
        if (value !== undefined) this.add(value);
        return value;
      },
      put: (tx, name, value) => {
        this.add(value);
        secrets.put(tx, name, value);
      },
      delete: (tx, name) => secrets.delete(tx, name),
    };
  }

  /** Everything that belongs to a secret is taken out, also where one goes on within another. */
  readonly mask = (text: string): string => {
    const looked = text.length > MAX ? text.slice(0, MAX) : text;
    let masked = '';
    /** Up to where the text is in what is masked, or in a secret. */
    let done = 0;
    for (let at = 0; at + MIN_LENGTH <= looked.length; at++) {
      const end = at + this.#lengthAt(looked, at);
      if (end <= done || end === at) continue;
      if (at >= done) masked += looked.slice(done, at) + REDACTED;
      done = end;
    }
    masked += looked.slice(done);
    // A secret may have been cut in two.
    return text.length > MAX ? masked.slice(0, -this.#longest) : masked;
  };

  /** How long the secret is that begins here; 0 when none does. */
  #lengthAt(text: string, at: number): number {
    const bit = beginningAt(text, at);
    if ((this.#beginnings[bit >> 3]! & (1 << (bit & 7))) === 0) return 0;
    const alike = this.#forms.get(text.slice(at, at + MIN_LENGTH));
    return alike?.find((form) => text.startsWith(form, at))?.length ?? 0;
  }
}

/** A number for the four characters from here on, by which most texts can be told from what begins a secret. */
function beginningAt(text: string, at: number): number {
  let hash = text.charCodeAt(at);
  for (let i = at + 1; i < at + 4; i++) hash = (hash * 37 + text.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 18)) & (BEGINNINGS - 1);
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
