/** A bounded cache: entries that were not read for a whole generation are evicted. */
export interface Generations<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, weight: number): void;
}

/** Creates a cache of two generations of at most `limit` weight each. Eviction drops the whole older generation, so it has no cost per entry. */
export function generations<T>(limit: number): Generations<T> {
  type Entry = { readonly value: T; readonly weight: number };
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();
  let weight = 0;
  const keep = (key: string, entry: Entry): void => {
    if (weight + entry.weight > limit) {
      old = young;
      young = new Map();
      weight = 0;
    }
    young.set(key, entry);
    weight += entry.weight;
  };
  return {
    get(key) {
      const entry = young.get(key);
      if (entry) return entry.value;
      const older = old.get(key);
      if (!older) return undefined;
      old.delete(key);
      keep(key, older);
      return older.value;
    },
    set: (key, value, added) => keep(key, { value, weight: added }),
  };
}
