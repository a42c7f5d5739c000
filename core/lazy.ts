/** A module that is imported on first use, because importing it at start would make every start slower. */
export interface Lazy<T> {
  /** Resolves with the module; the first call imports it. Rejects as the import does. */
  get(): Promise<T>;
  /** The import, once it was started. */
  readonly started: Promise<T> | undefined;
}

/** Delays `load` until the first `get`. */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let started: Promise<T> | undefined;
  return {
    get() {
      started ??= load();
      return started;
    },
    get started() {
      return started;
    },
  };
}
