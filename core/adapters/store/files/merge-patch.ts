/**
 * Applies a JSON merge patch (RFC 7396): fields of the patch replace those of the document, null removes a field, objects merge.
 * Changes neither of the two.
 */
export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    // An assignment would change the prototype.
    else if (key === '__proto__') Object.defineProperty(merged, key, { value, enumerable: true, configurable: true, writable: true });
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value;
  }
  return merged;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
