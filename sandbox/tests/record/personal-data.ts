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
const NAME = /name$/i;
const PLACE = /address|street|city_?of|location|postcode|zip/i;
const BIRTH = /birth|dob/i;
const NUMBER = /(?:^|_)(?:id|ssn|passport|account|iban|msisdn|phone|mobile|cell)(?:_?(?:number|no|id))?$|_number$/i;
const MAIL = /e?mail/i;
/** Shorter names would match parts of other words. */
const MIN_NAME = 2;

/** Replaces personal data by made-up values, the same value each time, and counts what it replaced. */
export class PersonalData {
  readonly #counts = new Map<string, { kind: string; by: string; count: number }>();
  readonly #madeUp = new Map<string, string>();
  /** Known values of this contact, longest first. */
  readonly #known: { readonly pattern: RegExp; readonly kind: string; readonly by: string }[];
  #phones = 0;
  #mails = 0;

  /** @param contact its fields @param addresses the addresses under which the contact writes */
  constructor(contact: JsonObject, addresses: readonly string[]) {
    const known: { readonly text: string; readonly kind: string; readonly by: string }[] = [];
    for (const [key, value] of Object.entries(contact)) {
      if (typeof value !== 'string' || value.trim().length < MIN_NAME) continue;
      const kind = kindOf(key);
      if (kind === 'name') known.push(...namesIn(value));
      else if (kind) known.push({ text: value, kind, by: this.#valueFor(kind, value) });
    }
    for (const address of addresses) {
      if (!/\d{6}/.test(address)) continue;
      const by = this.#valueFor('phone number', address);
      known.push({ text: address, kind: 'phone number', by }, { text: address.replace(/^\+/, ''), kind: 'phone number', by: by.slice(1) });
    }
    known.sort((a, b) => b.text.length - a.text.length);
    this.#known = known.map(({ text, ...rest }) => ({
      ...rest,
      pattern: new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
    }));
  }

  /** All replacements so far. */
  get replaced(): readonly Replaced[] {
    return [...this.#counts.values()];
  }

  text(text: string): string {
    let left = text;
    for (const { pattern, kind, by } of this.#known)
      left = left.replace(pattern, (found) =>
        this.#note(kind, found === found.toUpperCase() && /\p{L}/u.test(found) ? by.toUpperCase() : by),
      );
    return left
      .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, (found) =>
        found.endsWith('@example.com') ? found : this.#note('e-mail address', this.#valueFor('e-mail address', found)),
      )
      .replace(/(?<![\p{L}\p{N}])\+?\d(?:[ ()-]?\d){7,}(?![\p{L}\p{N}])/gu, (found) => {
        if (this.#isMadeUp(found) || /^\d{4}-\d\d-\d\d/.test(found)) return found;
        const kind = /^\+|^0\d|[ ()-]/.test(found) ? 'phone number' : 'number';
        return this.#note(kind, this.#valueFor(kind, found));
      })
      .replace(/(?<![\p{L}\p{N}.,:/-])\d{6,7}(?![\p{L}\p{N}:/-])/gu, (found) =>
        this.#isMadeUp(found) ? found : this.#note('number', this.#valueFor('number', found)),
      );
  }

  /** The fields of a contact. */
  fields(contact: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(contact).map(([key, value]) => {
        const kind = typeof value === 'string' ? kindOf(key) : undefined;
        if (kind === undefined || kind === 'name') return [key, this.value(value)];
        return [key, this.#note(kind, this.#valueFor(kind, value as string))];
      }),
    );
  }

  /** All texts in a value. */
  value(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.value(one as Json));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, this.value(inside as Json)]));
  }

  /** Notes that something was replaced by a fixed value. @returns the value */
  #note(kind: string, by: string): string {
    const key = `${kind} ${by}`;
    const known = this.#counts.get(key) ?? { kind, by, count: 0 };
    known.count++;
    this.#counts.set(key, known);
    return by;
  }

  /** A file or place of the contact, which is replaced whatever it is. */
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
        let i = 0;
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

/** A full name, and each of its parts. */
function namesIn(value: string): { text: string; kind: string; by: string }[] {
  const words = value.trim().split(/\s+/);
  if (words.length === 1) return [{ text: value.trim(), kind: 'name', by: FIRST }];
  return [
    { text: words.join(' '), kind: 'name', by: `${FIRST} ${LAST}` },
    ...words.flatMap((text, i) => (text.length < MIN_NAME ? [] : [{ text, kind: 'name', by: i === 0 ? FIRST : LAST }])),
  ];
}
