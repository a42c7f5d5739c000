import type { Json, JsonObject } from '#core';

/** Data that was replaced: its kind, the made-up value, and how often. */
export interface Replaced {
  readonly kind: string;
  readonly by: string;
  readonly count: number;
}

const FIRST = 'Robin';
const LAST = 'Example';
/** Contact fields by their names. */
const NAME = /(?<!file)name$/i;
const PLACE = /address|street|city_?of|location|postcode|zip/i;
const BIRTH = /birth|dob/i;
const NUMBER = /(?:^|_)(?:id|ssn|passport|account|iban|msisdn|phone|mobile|cell)(?:_?(?:number|no|id))?$|_number$/i;
const MAIL = /e?mail/i;
/** Shorter names would match parts of other words. */
const MIN_NAME = 2;

/** A value of the contact, and what replaces it. */
interface KnownValue {
  readonly text: string;
  readonly pattern: RegExp;
  readonly kind: string;
  readonly by: string;
}

/** Replaces personal data by made-up values, the same value each time, and counts what it replaced. */
export class PersonalData {
  readonly #counts = new Map<string, { kind: string; by: string; count: number }>();
  readonly #madeUp = new Map<string, string>();
  /** Known values of this contact, longest first. */
  #known: readonly KnownValue[] = [];
  #phones = 0;
  #mails = 0;
  /** How many numbers of each length were made up. */
  readonly #numbers = new Map<number, number>();

  /** @param contact its fields @param addresses the addresses under which the contact writes */
  constructor(contact: JsonObject, addresses: readonly string[]) {
    const known: Pick<KnownValue, 'text' | 'kind' | 'by'>[] = [];
    for (const [key, value] of Object.entries(contact)) {
      const text = typeof value === 'number' ? String(value) : value;
      if (typeof text !== 'string' || text.trim().length < MIN_NAME) continue;
      const kind = kindOf(key);
      if (kind === 'name') known.push(...namesIn(text, key));
      else if (kind) known.push({ text, kind, by: this.#valueFor(kind, text) });
    }
    for (const address of addresses) {
      if (!/\d{6}/.test(address)) continue;
      const by = this.#valueFor('phone number', address);
      known.push({ text: address, kind: 'phone number', by }, { text: address.replace(/^\+/, ''), kind: 'phone number', by: by.slice(1) });
    }
    this.#know(known);
  }

  #know(values: readonly Pick<KnownValue, 'text' | 'kind' | 'by'>[]): void {
    const patterns = values.map((value) => ({
      ...value,
      pattern: new RegExp(`(?<![\\p{L}\\p{N}])${value.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
    }));
    this.#known = [...this.#known, ...patterns].sort((a, b) => b.text.length - a.text.length);
  }

  /** All replacements so far. */
  get replaced(): readonly Replaced[] {
    return [...this.#counts.values()];
  }

  text(text: string): string {
    return this.ofContact(text)
      .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, (found) =>
        found.endsWith('@example.com') ? found : this.#note('e-mail address', this.#valueFor('e-mail address', found)),
      )
      .replace(/(?<![\p{L}\p{N}]|\d:)\(?\+?\(?\d(?:[ ().-]{0,3}\d){7,}(?![\p{L}\p{N}])/gu, (found) => {
        if (this.#isMadeUp(found) || /^\d{4}-\d\d-\d\d|^\d\d?\.\d\d?\.\d{4}$/.test(found)) return found;
        const isPhone = /^\(?\+|^\(?0\d|[ ()-]/.test(found) && !/^\d+\.\d+$/.test(found);
        const kind = isPhone ? 'phone number' : 'number';
        return this.#note(kind, this.#valueFor(kind, found));
      })
      .replace(/(?<!\p{N}|\p{N}[.,:/-])\d{6,}(?!\p{N}|[:/-]\p{N})/gu, (found) =>
        this.#isMadeUp(found) ? found : this.#note('number', this.#valueFor('number', found)),
      );
  }

  /** Replaces only what is known of the contact, for texts of the journey that mention it. */
  ofContact(text: string): string {
    let left = text;
    for (const { pattern, kind, by } of this.#known)
      left = left.replace(pattern, (found) =>
        this.#note(kind, found === found.toUpperCase() && /\p{L}/u.test(found) ? by.toUpperCase() : by),
      );
    return left;
  }

  /** The fields of a contact. */
  fields(contact: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(contact).map(([key, value]) => {
        const kind = typeof value === 'string' ? kindOf(key) : undefined;
        if (kind === undefined || kind === 'name') return [key, this.#field(key, value as Json)];
        return [key, this.#note(kind, this.#valueFor(kind, value as string))];
      }),
    );
  }

  /** All texts and long numbers in a value, such as the answers of a form; the names of its fields say what they have. */
  value(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) >= 100_000)
      return this.#isMadeUp(String(value)) ? value : Number(this.#note('number', this.#valueFor('number', String(value))));
    if (Array.isArray(value)) return value.map((one) => this.value(one as Json));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, this.#field(key, inside as Json)]));
  }

  #field(key: string, value: Json): Json {
    const kind = typeof value === 'string' && value.trim().length >= MIN_NAME ? kindOf(key) : undefined;
    // Ids of options and messages are short.
    if (kind === undefined || kind === 'number') return this.value(value);
    const text = value as string;
    if (kind !== 'name') return this.#note(kind, this.#valueFor(kind, text));
    if (this.ofContact(text) === text) this.#know(namesIn(text, key));
    return this.ofContact(text);
  }

  /** Notes that something was replaced by a fixed value. @returns the value */
  #note(kind: string, by: string): string {
    const key = `${kind} ${by}`;
    const known = this.#counts.get(key) ?? { kind, by, count: 0 };
    known.count++;
    this.#counts.set(key, known);
    return by;
  }

  /** A file or place of the contact, which is always replaced. */
  fixed(kind: string, by: string): string {
    return this.#note(kind, by);
  }

  #isMadeUp(text: string): boolean {
    const digits = text.replace(/\D/g, '');
    return [...this.#madeUp.values()].some((value) => value.replace(/\D/g, '') === digits);
  }

  #valueFor(kind: string, value: string): string {
    const key = `${kind} ${value.toLowerCase().replace(/[^\p{L}\p{N}@]/gu, '')}`;
    let made = this.#madeUp.get(key);
    if (made === undefined) {
      made = this.#makeUp(kind, value);
      this.#madeUp.set(key, made);
    }
    return made;
  }

  #makeUp(kind: string, value: string): string {
    switch (kind) {
      case 'phone number':
        return `+2760000${String(++this.#phones).padStart(4, '0')}`;
      case 'e-mail address':
        return `person${++this.#mails}@example.com`;
      case 'date of birth':
        return '1990-01-01';
      case 'place':
        return '1 Example Street';
      default: {
        // The same form, because journeys check the length.
        const { length } = value.replace(/\D/g, '');
        let i = this.#numbers.get(length) ?? 0;
        this.#numbers.set(length, i + 1);
        return value.replace(/\d/g, () => String(++i % 10));
      }
    }
  }
}

function kindOf(key: string): string | undefined {
  if (NAME.test(key)) return 'name';
  if (MAIL.test(key)) return 'e-mail address';
  if (BIRTH.test(key)) return 'date of birth';
  if (PLACE.test(key)) return 'place';
  return NUMBER.test(key) ? 'number' : undefined;
}

/** A full name, and each of its parts. `key` is the name of its field. */
function namesIn(value: string, key = ''): { text: string; kind: string; by: string }[] {
  const words = value.trim().split(/\s+/);
  if (words.length === 1) return [{ text: value.trim(), kind: 'name', by: /last|sur|family/i.test(key) ? LAST : FIRST }];
  return [
    { text: words.join(' '), kind: 'name', by: `${FIRST} ${LAST}` },
    ...words.flatMap((text, i) => (text.length < MIN_NAME ? [] : [{ text, kind: 'name', by: i === 0 ? FIRST : LAST }])),
  ];
}
