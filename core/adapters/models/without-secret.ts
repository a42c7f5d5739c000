/** Shorter secrets would match unrelated text. */
const MIN_LENGTH = 8;
const MARK = '‹redacted›';

/** Masks a secret in all texts of a value, in plain and commonly encoded forms. */
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
