export type Storage = ReturnType<typeof createStorage>;

/** Entries of one number in `localStorage`, which may be blocked: then they live as long as the page. */
export function createStorage(key: string) {
  const memory = new Map<string, string>();
  let isKept = true;
  const names = (prefix: string): string[] => {
    const stored = attempt(() => Object.keys(localStorage)) ?? [];
    return [...new Set([...stored, ...memory.keys()])]
      .filter((name) => name.startsWith(key + prefix))
      .map((name) => name.slice(key.length));
  };
  const remove = (name: string): void => {
    memory.delete(key + name);
    attempt(() => localStorage.removeItem(key + name));
  };
  return {
    /** Whether entries outlive the page. Known after the first write. */
    isKept: () => isKept,
    get: (name: string) => memory.get(key + name) ?? attempt(() => localStorage.getItem(key + name)) ?? undefined,
    set(name: string, value: string) {
      const isStored = attempt(() => {
        localStorage.setItem(key + name, value);
        return true;
      });
      isKept = isStored === true;
      if (isStored) memory.delete(key + name);
      else memory.set(key + name, value);
    },
    remove,
    names,
    clear: () => {
      for (const name of names('')) remove(name);
    },
  };
}

/** Browsers throw when storage is blocked or full. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
