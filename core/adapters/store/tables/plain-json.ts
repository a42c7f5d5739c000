/** A document that JSON would not preserve; the message names the path. */
class NotPlainJson extends TypeError {
  override readonly name = 'NotPlainJson';
}

/** Serializes a document. @throws NotPlainJson */
export function toJson(document: object, where: string): string {
  if (!isPlainObject(document)) throw new NotPlainJson(`${where}: a document is a plain object, not ${describe(document)}`);
  const fault = faultIn(document, []);
  if (fault) throw new NotPlainJson(`${where}: ${fault.path.join('.') || 'the document'} ${fault.reason}`);
  return flat(JSON.stringify(document));
}

/**
 * Flattens a JSON string. V8 builds it as a chain of pieces, which takes a fifth more memory, and joins them when a character
 * is read. The result must be used, or V8 optimizes the read away.
 */
export const flat = (json: string): string => (json.charCodeAt(0) === 0 ? '' : json);

/** V8 makes slices and chains of at least this length. */
const MIN_SLICE = 13;
const copying = Buffer.allocUnsafeSlow(256);

/** A copy of a string that may be a slice of a large text. With JSON it would take four times as long. */
export function copyOf(text: string): string {
  if (text.length < MIN_SLICE) return text;
  const copy = text.length > copying.length ? '' : copying.toString('latin1', 0, copying.write(text, 'latin1'));
  return copy === text ? copy : (JSON.parse(JSON.stringify(text)) as string);
}

interface Fault {
  /** From the root to the fault. */
  readonly path: string[];
  readonly reason: string;
}

/** Finds the first value that JSON would not preserve. Builds the path only on a fault, because every write runs this. */
function faultIn(value: unknown, parents: object[]): Fault | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const isArray = Array.isArray(value);
  if (typeof value !== 'object' || !(isArray || isPlainObject(value))) {
    return { path: [], reason: `is ${describe(value)}; documents are plain JSON` };
  }
  if (parents.includes(value)) return { path: [], reason: 'contains itself' };
  parents.push(value);
  if (isArray) {
    for (let i = 0; i < value.length; i++) {
      const fault = faultIn(value[i], parents);
      if (fault) return below(String(i), fault);
    }
  } else {
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      // An undefined property counts as absent, like TypeScript's optional properties.
      const fault = member === undefined ? undefined : faultIn(member, parents);
      if (fault) return below(name, fault);
    }
  }
  parents.pop();
  return undefined;
}

const below = (name: string, { path, reason }: Fault): Fault => ({ path: [name, ...path], reason });

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `a ${value.constructor?.name ?? 'object'}`;
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
}
