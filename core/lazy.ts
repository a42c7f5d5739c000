/** A module that is imported when it is first needed, because importing it is a large part of what a start costs. */
export interface Lazy<T> {
  /** What was imported; the first call imports it. Rejects as the import does. */
  get(): Promise<T>;
  /** The import, once it has begun. */
  readonly begun: Promise<T> | undefined;
}

/** Delays `load` until the first `get`. */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let begun: Promise<T> | undefined;
  return {
    get() {
      begun ??= load();
      return begun;
    },
    get begun() {
      return begun;
    },
  };
}
