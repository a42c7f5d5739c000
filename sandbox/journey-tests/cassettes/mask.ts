import type { HttpAnswer, HttpCall } from '../../../plugins/journeys/plugin.js';

/** Replaces masked values. Plain letters, so that the mark is the same in a URL, in a form and in JSON. */
export const MARK = 'REDACTED-SECRET';

/** A value that is at least this long is masked wherever it occurs. Shorter ones would match unrelated text. */
const MIN_LENGTH = 8;
const MAX_NAME = 60;

const CREDENTIAL = [
  'authorization|cookie|secret|passw(?:or)?d|passphrase|credential|signature|session[-_]?id',
  '(?:api|app|access|account|auth|client|private|service|session|subscription)[-_]?key',
  // Only at the end of a name, because `tokens_left` is a count.
  'token$|^(?:pin|otp|jwt|pwd)$',
].join('|');
/** The names of fields, parameters and headers whose values are credentials. */
const inBodies = new RegExp(CREDENTIAL, 'i');
const inQueries = new RegExp(`${CREDENTIAL}|^(?:key|sig|auth)$`, 'i');
const inHeaders = new RegExp(`${CREDENTIAL}|^x-auth|-(?:session|auth)$`, 'i');
/** Attributes of a cookie whose values are not credentials. */
const COOKIE_ATTRIBUTE = /^\s*(?:path|domain|expires|max-age|samesite|priority)\s*=/i;
/** Stands for a named secret of a journey, whose value never reaches a recording. */
const PLACEHOLDER = /‹redacted:[^›]*›/;

/** JSON Web Tokens, and what follows the word Bearer: credentials, wherever they occur. */
const RECOGNISED = [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, /(?<=\bBearer\s+)[\w.~+/-]{6,}=*/gi];

/**
 * Finds the credentials of exchanges and masks them in texts: headers, parameters and fields with such names, user names and passwords in
 * URLs, and from then on every text that contains one of their values, also URL-encoded, escaped for JSON or in base64.
 */
export class Mask {
  readonly #values = new Set<string>();
  #forms: readonly string[] = [];
  /** Names under which a credential was found, for the report of a recording. */
  readonly names = new Set<string>();

  /** The number of known values: texts that were masked before it grew must be masked again. */
  get size(): number {
    return this.#values.size;
  }

  /** Masks this value from now on. */
  add(value: string): void {
    const plain = value.trim();
    if (plain.length < MIN_LENGTH || plain.includes(MARK) || PLACEHOLDER.test(plain) || this.#values.has(plain)) return;
    this.#values.add(plain);
    this.#forms = [...new Set([...this.#values].flatMap(formsOf))].sort((a, b) => b.length - a.length);
  }

  /** Finds the credentials of an exchange, so that they are masked in every text. */
  learn({ url, headers, body }: Pick<HttpCall, 'url' | 'headers' | 'body'>, answer?: HttpAnswer): void {
    this.#learnHeaders(headers);
    if (answer) this.#learnHeaders(answer.headers);
    if (URL.canParse(url)) {
      const { username, password } = new URL(url);
      if (password !== '') this.#found('the password in the URL', decoded(password));
      if (username !== '') this.#found('the user name in the URL', decoded(username));
    }
    for (const text of [url, body ?? '', answer?.body ?? '']) this.text(text);
  }

  /** The headers of a response without those that contain credentials. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const kept = Object.entries(headers).filter(([name]) => !inHeaders.test(name));
    return Object.fromEntries(kept.map(([name, value]) => [name, this.text(value)]));
  }

  /** Masks credentials in a URL, a body, or any other text. */
  readonly text = (text: string): string => {
    const named = text
      .replace(/"([^"\\]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g, (all, name: string, colon: string, value: string) =>
        this.#isCredential(inBodies, name, unescaped(value)) ? `"${name}"${colon}"${MARK}"` : all,
      )
      .replace(/(?<=[?&]|^)([^=&?#\s"<>{}]+)=([^&#\s"<>]*)/g, (all, name: string, value: string) =>
        this.#isCredential(inQueries, decoded(name), decoded(value)) ? `${name}=${MARK}` : all,
      )
      .replace(/<([\w:.-]+)>([^<]+)(?=<\/)/g, (all, name: string, value: string) =>
        this.#isCredential(inBodies, name, value) ? `<${name}>${MARK}` : all,
      )
      .replace(/(?<=:\/\/)[^/?#@\s"]+(?=@)/g, MARK);
    const recognised = RECOGNISED.reduce(
      (left, pattern) => left.replace(pattern, (value) => (this.#isCredential(/./, 'a token in a text', value) ? MARK : value)),
      named,
    );
    return this.#forms.reduce((left, form) => left.replaceAll(form, MARK), recognised);
  };

  #learnHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!inHeaders.test(name)) continue;
      for (const credential of credentialsIn(name, value)) if (!PLACEHOLDER.test(credential)) this.#found(`header ${name}`, credential);
    }
  }

  /** Whether the value of this name is a credential; if so it is masked from now on. */
  #isCredential(names: RegExp, name: string, value: string): boolean {
    if (name.length > MAX_NAME || !names.test(name) || value === '' || value === MARK || PLACEHOLDER.test(value)) return false;
    this.#found(name, value);
    return true;
  }

  #found(name: string, value: string): void {
    this.names.add(name);
    this.add(value);
  }
}

/** The credentials in the value of a header: without its scheme, both parts of Basic, each value of cookies. */
function credentialsIn(name: string, value: string): string[] {
  if (/cookie/i.test(name)) {
    // A comma separates the cookies of a response; one inside a date only makes a part without a value.
    return value.split(/[;,]/).flatMap((part) => (COOKIE_ATTRIBUTE.test(part) ? [] : (/^[^=]*=(.*)$/s.exec(part)?.[1] ?? [])));
  }
  const [, scheme = '', credential = ''] = /^(?:(\w+)\s+)?(.*)$/s.exec(value)!;
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const plain = Buffer.from(credential, 'base64').toString();
  return [credential, plain, plain.slice(plain.indexOf(':') + 1)];
}

function formsOf(value: string): string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const escaped = escapedForJson(value);
  // Twice for JSON inside a text of JSON, as services return that echo a request or report its error.
  return [
    value,
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    encoded(value),
    escaped,
    escapedForJson(escaped),
    escapedForJson(escapedForJson(escaped)),
  ];
}

const escapedForJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot be encoded, so no URL contains it.
    return value;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
