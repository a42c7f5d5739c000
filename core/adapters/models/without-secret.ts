/** Shorter ones would be found in words that have nothing to do with them. */
const MIN_LENGTH = 8;
const MARK = '‹redacted›';

/** A value without a secret in any of its texts, neither as it is nor as it is usually encoded. */
export function withoutSecret<T>(value: T, secret: string | undefined): T {
  if (secret === undefined || secret.length < MIN_LENGTH) return value;
  const base64 = Buffer.from(secret).toString('base64');
  const forms = new Set([
    secret,
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  const clean = (inside: unknown): unknown => {
    if (typeof inside === 'string') {
      let text = inside;
      for (const form of forms) text = text.replaceAll(form, MARK);
      return text;
    }
    if (Array.isArray(inside)) return inside.map(clean);
    if (typeof inside !== 'object' || inside === null) return inside;
    return Object.fromEntries(Object.entries(inside).map(([key, part]) => [clean(key), clean(part)]));
  };
  return clean(value) as T;
}
