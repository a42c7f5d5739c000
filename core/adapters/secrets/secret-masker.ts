import type { Secrets } from '../../ports/secrets.js';
import { REDACTED } from '../log/plain-fields.js';

/** Shorter secrets would match unrelated text. */
const MIN_LENGTH = 8;
/** Maximum characters of a text that are checked; a log line has room for fewer. */
const MAX_CHARACTERS = 64 * 1024;

/** Bits of the filter of secret prefixes; far more than prefixes, so that most of a text is skipped immediately. */
const PREFIX_BITS = 2 ** 18;

/**
 * Masks the platform's own secret values in log lines, wherever they occur. There can be one per webhook and token, so the cost
 * per text does not grow with their number.
 */
export class SecretMasker {
  readonly #values = new Set<string>();
  /** Plain and commonly encoded forms by their first characters, longest first. */
  readonly #forms = new Map<string, string[]>();
  readonly #prefixes = new Uint8Array(PREFIX_BITS / 8);
  #longest = 1;

  add(value: string): void {
    if (value.length < MIN_LENGTH || this.#values.has(value)) return;
    this.#values.add(value);
    for (const form of formsOf(value)) {
      const prefix = form.slice(0, MIN_LENGTH);
      const forms = this.#forms.get(prefix) ?? [];
      if (forms.includes(form)) continue;
      this.#forms.set(
        prefix,
        [...forms, form].sort((a, b) => b.length - a.length),
      );
      const bit = prefixHashAt(form, 0);
      this.#prefixes[bit >> 3]! |= 1 << (bit & 7);
      this.#longest = Math.max(this.#longest, form.length);
    }
  }

  /** Wraps `secrets` so that every value read or written is masked from then on. */
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
      start: async () => secrets.start?.(),
      names: async () => (await secrets.names?.()) ?? [],
    };
  }

  /** Masks all characters of every secret, also where secrets overlap. */
  readonly mask = (text: string): string => {
    const checked = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
    let masked = '';
    /** End of the text that is already copied or masked. */
    let doneAt = 0;
    for (let at = 0; at + MIN_LENGTH <= checked.length; at++) {
      const end = at + this.#lengthAt(checked, at);
      if (end <= doneAt || end === at) continue;
      if (at >= doneAt) masked += checked.slice(doneAt, at) + REDACTED;
      doneAt = end;
    }
    masked += checked.slice(doneAt);
    // The cut may have split a secret.
    return text.length > MAX_CHARACTERS ? masked.slice(0, -this.#longest) : masked;
  };

  /** Length of the secret that starts here; 0 if none does. */
  #lengthAt(text: string, at: number): number {
    const bit = prefixHashAt(text, at);
    if ((this.#prefixes[bit >> 3]! & (1 << (bit & 7))) === 0) return 0;
    const forms = this.#forms.get(text.slice(at, at + MIN_LENGTH));
    return forms?.find((form) => text.startsWith(form, at))?.length ?? 0;
  }
}

/** A hash of the next four characters, which rules out most positions. */
function prefixHashAt(text: string, at: number): number {
  let hash = text.charCodeAt(at);
  for (let i = at + 1; i < at + 4; i++) hash = (hash * 37 + text.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 18)) & (PREFIX_BITS - 1);
}

function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [...new Set([value, base64, encoded(value), JSON.stringify(value).slice(1, -1)])];
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot be URL-encoded, so no text contains that form.
    return value;
  }
}
