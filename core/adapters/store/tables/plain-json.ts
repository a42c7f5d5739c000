/** A document that would not come back from JSON as it went in is refused, with the place that is to blame. */
class NotPlainJson extends TypeError {
  override readonly name = 'NotPlainJson';
}

/** The JSON of a document. @throws NotPlainJson */
export function toJson(document: object, where: string): string {
  if (!isPlainObject(document)) throw new NotPlainJson(`${where}: a document is a plain object, not ${describe(document)}`);
  const fault = faultIn(document, []);
  if (fault) throw new NotPlainJson(`${where}: ${fault.path.join('.') || 'the document'} ${fault.what}`);
  return flat(JSON.stringify(document));
}

/**
 * JSON text in one piece. V8 builds it as a chain of pieces, which takes a fifth more memory, and joins them when a
 * character is asked for. The answer must matter, or the question is optimised away.
 */
export const flat = (json: string): string => (json.charCodeAt(0) === 0 ? '' : json);

interface Fault {
  /** From the top down. */
  readonly path: string[];
  readonly what: string;
}

/** What would not come back as it is. The way there is put together only when there is something: every write comes by here. */
function faultIn(value: unknown, parents: object[]): Fault | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const isArray = Array.isArray(value);
  if (typeof value !== 'object' || !(isArray || isPlainObject(value))) {
    return { path: [], what: `is ${describe(value)}; documents are plain JSON` };
  }
  if (parents.includes(value)) return { path: [], what: 'contains itself' };
  parents.push(value);
  if (isArray) {
    for (let i = 0; i < value.length; i++) {
      const fault = faultIn(value[i], parents);
      if (fault) return below(String(i), fault);
    }
  } else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      // A property that is undefined is a property that is not there, as TypeScript's optional properties have it.
      const fault = member === undefined ? undefined : faultIn(member, parents);
      if (fault) return below(name, fault);
    }
  }
  parents.pop();
  return undefined;
}

const below = (name: string, { path, what }: Fault): Fault => ({ path: [name, ...path], what });

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a ${value.constructor?.name ?? 'object'}`;
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
}
