/**
 * The approximate size of a value in characters when it is cloned to another thread. Texts count every time they occur, objects and
 * lists once, as in a structured clone. Stops counting beyond `most`.
 */
export function sizeOf(value: unknown, most: number): number {
  const seen = new Set<object>();
  let size = 0;

  function count(one: unknown): void {
    if (typeof one === 'string') size += one.length;
    else if (typeof one !== 'object' || one === null) size += SCALAR;
    else if (!seen.has(one)) {
      seen.add(one);
      for (const name in one) {
        if (size > most) return;
        size += name.length;
        count((one as Record<string, unknown>)[name]);
      }
    }
  }

  count(value);
  return size;
}

/** The size of a number, boolean or null. */
const SCALAR = 8;
