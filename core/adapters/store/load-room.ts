import type { Heap } from '../../ports/heap.js';

const MEBIBYTE = 1 << 20;
/** The heap is looked at after so many bytes of the files. */
const LOOK_BYTES = 4 * MEBIBYTE;
/** What of the heap the state may take; the rest is for working with it, and near its limit V8 ends the process. */
const MAX = 0.75;
/** Indexes come on top, and there has to be room for work: what is said to be needed is that much more than what is estimated. */
const INDEXES = 1.2;
const ADVISED = 2;

/** The state does not fit into the heap. Nothing was changed. */
export class HeapTooSmall extends Error {
  override readonly name = 'HeapTooSmall';

  constructor(folder: string, { neededBytes, limitBytes }: { neededBytes: number; limitBytes: number }) {
    const advised = Math.ceil((ADVISED * neededBytes) / MEBIBYTE);
    super(
      `the data in ${folder} needs about ${mebibytes(neededBytes)} of heap, and Node may use ${mebibytes(limitBytes)}. Nothing has been changed. Start it with a larger heap: node --max-old-space-size=${advised} (MiB). To need less afterwards, let it keep less: deliveries.kept and deliveries.keptBytes, and kept and keptBytes of the plugins journeys and simulation`,
    );
  }
}

/** Sees to it that what is loaded fits, before the process would end for want of memory. */
export interface LoadRoom {
  /** So many bytes of the files were taken in. @throws HeapTooSmall */
  took(bytes: number): Promise<void>;
}

/** @param totalBytes of all the files */
export function loadRoom(
  heap: Heap | undefined,
  folder: string,
  { totalBytes, snapshotBytes }: { totalBytes: number; snapshotBytes: number },
): LoadRoom {
  if (!heap) return { took: async () => undefined };
  const { limitBytes } = heap;
  const before = heap.read().usedBytes;
  // Text alone takes at least what it takes in the file, unless much of it is beyond Latin-1.
  if (snapshotBytes > 1.5 * limitBytes) throw new HeapTooSmall(folder, { neededBytes: before + snapshotBytes * INDEXES, limitBytes });
  let loaded = 0;
  let lookAt = LOOK_BYTES;
  return {
    async took(bytes) {
      loaded += bytes;
      if (loaded < lookAt && bytes > 0) return;
      lookAt = loaded + LOOK_BYTES;
      if (heap.read().usedBytes < MAX * limitBytes) return;
      // Most of it may be garbage.
      await heap.collect?.();
      const { usedBytes } = heap.read();
      if (usedBytes < MAX * limitBytes) return;
      const share = Math.max(loaded / Math.max(totalBytes, loaded), 0.01);
      throw new HeapTooSmall(folder, { neededBytes: before + ((usedBytes - before) / share) * INDEXES, limitBytes });
    },
  };
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE)} MiB`;
