/** A document that would not come back from JSON as it went in is refused, with the place that is to blame. */
export class NotPlainJson extends TypeError {
  override readonly name = 'NotPlainJson';
}

/** The JSON of a document. @throws NotPlainJson */
export function toJson(document: object, where: string): string {
  if (!isPlainObject(document)) throw new NotPlainJson(`${where}: a document is a plain object, not ${describe(document)}`);
  assertPlain(document, where, '', []);
  return flat(JSON.stringify(document));
}

/**
 * JSON text in one piece. V8 builds it as a chain of pieces, which takes a fifth more memory, and joins them when a
 * character is asked for. The answer must matter, or the question is optimised away.
 */
export const flat = (json: string): string => (json.charCodeAt(0) === 0 ? '' : json);

function assertPlain(value: unknown, where: string, path: string, parents: object[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlainObject(value))) {
    throw new NotPlainJson(`${where}: ${path.slice(1) || 'the document'} is ${describe(value)}; documents are plain JSON`);
  }
  if (parents.includes(value)) throw new NotPlainJson(`${where}: ${path.slice(1)} contains itself`);
  parents.push(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) assertPlain(value[i], where, `${path}.${i}`, parents);
  } else {
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      // A property that is undefined is a property that is not there, as TypeScript's optional properties have it.
      if (member !== undefined) assertPlain(member, where, `${path}.${name}`, parents);
    }
  }
  parents.pop();
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a ${value.constructor?.name ?? 'object'}`;
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
}
