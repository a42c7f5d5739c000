type Fields = Readonly<Record<string, unknown>>;

/** Deeper parts of a body stay as they are. */
const MAX_DEPTH = 32;
const JSON_PART = /^\s*[[{]/;

/** The fields of a call as the network reads them: null and '' count as absent, also inside of objects and their lists. */
export const presentFields = (fields: Fields): Fields => present(fields, MAX_DEPTH) as Fields;

function present(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => present(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null && field !== '')
      .map(([name, field]) => [name, present(field, depth - 1)]),
  );
}

/** The fields of a message whose objects and lists may be JSON text, as in a form. */
export const decodedParts = (message: Fields): Fields =>
  Object.fromEntries(
    Object.entries(message).map(([name, field]) => [name, typeof field === 'string' && JSON_PART.test(field) ? decoded(field) : field]),
  );

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The checks refuse it as a text.
    return text;
  }
}
