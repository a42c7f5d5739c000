import type { Heap } from '../../ports/heap.js';

const MEBIBYTE = 1 << 20;
/** Checks the heap after this many bytes of the files. */
const CHECK_EVERY_BYTES = 4 * MEBIBYTE;
/** The share of the heap that the state may use. The rest is for work; near its limit V8 ends the process. */
const MAX_HEAP_SHARE = 0.75;
/** Factors on the estimated need for the message: indexes, and room to work. */
const INDEX_FACTOR = 1.2;
const ADVISED_FACTOR = 2;

/** The state does not fit into the heap. Nothing was changed. */
export class HeapTooSmall extends Error {
  override readonly name = 'HeapTooSmall';

  constructor(folder: string, { neededBytes, limitBytes }: { neededBytes: number; limitBytes: number }) {
    const advised = Math.ceil((ADVISED_FACTOR * neededBytes) / MEBIBYTE);
    super(
      `the data in ${folder} needs about ${mebibytes(neededBytes)} of heap, but Node may use ${mebibytes(limitBytes)}. Nothing has been changed. Start it with a larger heap: node --max-old-space-size=${advised} (MiB). To reduce the need, lower deliveries.kept and deliveries.keptBytes, and kept and keptBytes of the plugins journeys and simulation`,
    );
  }
}

/** Checks during a load that the state fits into the heap, before the process runs out of memory. */
export interface LoadRoom {
  /** Reports that `bytes` of the files were loaded. @throws HeapTooSmall */
  checkAfter(bytes: number): Promise<void>;
}

/** @param totalBytes of all files */
export function loadRoom(
  heap: Heap | undefined,
  folder: string,
  { totalBytes, snapshotBytes }: { totalBytes: number; snapshotBytes: number },
): LoadRoom {
  if (!heap) return { checkAfter: async () => undefined };
  const { limitBytes } = heap;
  const before = heap.read().usedBytes;
  // In memory, text takes at least its size on disk, unless much of it is outside Latin-1.
  if (snapshotBytes > 1.5 * limitBytes) throw new HeapTooSmall(folder, { neededBytes: before + snapshotBytes * INDEX_FACTOR, limitBytes });
  let loaded = 0;
  let checkAt = CHECK_EVERY_BYTES;
  return {
    async checkAfter(bytes) {
      loaded += bytes;
      if (loaded < checkAt && bytes > 0) return;
      checkAt = loaded + CHECK_EVERY_BYTES;
      if (heap.read().usedBytes < MAX_HEAP_SHARE * limitBytes) return;
      // Most of the used heap may be garbage.
      await heap.collect?.();
      const { usedBytes } = heap.read();
      if (usedBytes < MAX_HEAP_SHARE * limitBytes) return;
      const share = Math.max(loaded / Math.max(totalBytes, loaded), 0.01);
      throw new HeapTooSmall(folder, { neededBytes: before + ((usedBytes - before) / share) * INDEX_FACTOR, limitBytes });
    },
  };
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE)} MiB`;
