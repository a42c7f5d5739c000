/**
 * The approximate size of a value in characters when it is cloned to another thread. Texts count every time they occur, objects and
 * lists once, as in a structured clone. Stops counting beyond `max`.
 */
export function sizeOf(value: unknown, max: number): number {
  const seen = new Set<object>();
  let size = 0;

  function count(item: unknown): void {
    if (typeof item === 'string') size += item.length;
    else if (typeof item !== 'object' || item === null) size += SCALAR;
    else if (!seen.has(item)) {
      seen.add(item);
      if (Array.isArray(item)) {
        for (let i = 0; i < item.length && size <= max; i++) count(item[i]);
        return;
      }
      for (const name in item) {
        if (size > max) return;
        size += name.length;
        count((item as Record<string, unknown>)[name]);
      }
    }
  }

  count(value);
  return size;
}

const SCALAR = 8;
