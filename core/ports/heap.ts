/** Memory in use at one point in time. */
export interface HeapState {
  readonly usedBytes: number;
  /** Bytes in use after the last full garbage collection; before the first one, all bytes in use. */
  readonly liveBytes: number;
  /** Milliseconds since that collection, or since `start` if there was none. */
  readonly collectedMsAgo: number;
  /** Share of the memory limit of the whole process that is in use, 0 to 1. Includes buffers and threads. */
  readonly processShare: number;
}

/** The memory of the process. The platform refuses large work while it is short. */
export interface Heap {
  /** Node ends the process when the heap exceeds this. */
  readonly limitBytes: number;
  start?(): void;
  stop?(): void;
  /** Takes a few microseconds. */
  read(): HeapState;
  /** Runs a full garbage collection, which can take a second. */
  collect?(): Promise<void>;
}
