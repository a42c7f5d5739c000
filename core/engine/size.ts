/**
 * About how many characters a value takes when it crosses threads: texts count each time they stand in it, objects and lists once, as a
 * clone keeps them one. It stops counting beyond `most`.
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

/** A number, true or false, null. */
const SCALAR = 8;
