/** What of the memory is in use. */
export interface HeapState {
  readonly usedBytes: number;
  /** What was left of it after the last full collection of garbage; all that is in use before the first. */
  readonly liveBytes: number;
  /** Milliseconds since that collection, or since the platform began to look. */
  readonly collectedMsAgo: number;
  /** The part of what the machine allows the whole process that is in use, between 0 and 1: buffers and threads count too. */
  readonly processShare: number;
}

/** The memory in which the state, and all work on it, have to fit. */
export interface Heap {
  /** The process ends when it needs more than this. */
  readonly limitBytes: number;
  start?(): void;
  stop?(): void;
  /** Takes a few microseconds. */
  read(): HeapState;
  /** Collects garbage now, which can take a second. */
  collect?(): Promise<void>;
}
