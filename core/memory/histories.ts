import type { Clock, Timer } from '../ports/clock.js';
import { DocumentDamaged } from '../ports/store.js';
import { createHistory, type EvictionReason, type History, type HistoryOptions, type HistoryPorts, type HistorySize } from './history.js';

/** Declares a history of a collection; limits that are not given have defaults. */
export interface NewHistory<T extends object> extends Omit<HistoryOptions<T>, 'limits' | 'isOnDisk' | 'share' | 'onEvicted'> {
  readonly limits: { readonly count: number; readonly days: number; readonly bytes?: number | undefined };
}

/** Current size and limits of a history. */
export interface HistoryReport extends HistorySize {
  readonly name: string;
  readonly most: HistorySize;
}

/** The share of the count and byte limits that remains while memory is short. */
const REDUCED = 0.25;
const NOT_COUNTED = 'counting finished records failed; until the next start, the limits of their number and size evict fewer of them';
/** Interval of the check for expired documents. */
const CHECK_INTERVAL_MS = 60 * 60 * 1000;

/** All histories of the platform: documents that are retained for a limited time. */
export type Histories = ReturnType<typeof createHistories>;

/** @param maxBytes default byte limit of a history */
export function createHistories(
  ports: HistoryPorts & { readonly clock: Pick<Clock, 'after'> },
  {
    maxBytes,
    onDisk = false,
    onEvicted,
  }: {
    readonly maxBytes: number;
    /** Whether the store keeps older documents of collections with `cold` on disk, where evicting them frees hardly any memory. */
    readonly onDisk?: boolean;
    readonly onEvicted?: (history: string, reason: EvictionReason) => void;
  },
) {
  const { clock, log } = ports;
  const all: Pick<History<never>, 'name' | 'limits' | 'size' | 'load' | 'loadsAtOnce' | 'evict'>[] = [];
  let counted: Promise<void> | undefined;
  let isStopped = false;
  let timer: Timer | undefined;
  let share = 1;

  return {
    /** Declares a history. Its documents are counted when the platform starts, and limited from then on. */
    create<T extends object>(declared: NewHistory<T>): History<T> {
      const {
        limits: { bytes = maxBytes, ...limits },
        ...about
      } = declared;
      const history = createHistory(ports, {
        ...about,
        limits: { ...limits, bytes },
        isOnDisk: onDisk && declared.type.cold !== undefined,
        share: () => (onDisk && declared.type.cold ? 1 : share),
        ...(onEvicted && { onEvicted: (reason) => onEvicted(about.name, reason) }),
      });
      all.push(history);
      return history;
    },

    /** Counts the existing documents, in the background because they may be on disk, and starts the check for expired ones. */
    async start(): Promise<void> {
      isStopped = false;
      for (const history of all) {
        if (!history.loadsAtOnce) continue;
        await history
          .load(() => false)
          .catch((error: unknown) => {
            // It must not prevent the start.
            if (!(error instanceof DocumentDamaged)) throw error;
            log.error(NOT_COUNTED, { history: history.name, error });
          });
      }
      counted = countInBackground();
      scheduleCheck();
    },

    async stop(): Promise<void> {
      timer?.cancel();
      isStopped = true;
      await counted;
    },

    report: (): HistoryReport[] => all.map(({ name, limits: { count, bytes }, size }) => ({ name, ...size(), most: { count, bytes } })),

    /**
     * Reduces every history to a quarter of its limits while memory is short, in the order of declaration, and restores the
     * limits afterwards.
     * @returns whether anything was evicted
     */
    async squeeze(isShort: boolean): Promise<boolean> {
      share = isShort ? REDUCED : 1;
      const count = () => all.reduce((sum, { size }) => sum + size().count, 0);
      const before = count();
      for (const history of all) await history.evict();
      return count() < before;
    },
  };

  async function countInBackground(): Promise<void> {
    for (const history of all) {
      if (history.loadsAtOnce) continue;
      await history.load(() => isStopped).catch((error: unknown) => log.error(NOT_COUNTED, { history: history.name, error }));
    }
  }

  function scheduleCheck(): void {
    timer = clock.after(CHECK_INTERVAL_MS, async () => {
      scheduleCheck();
      await evictAll();
    });
  }

  async function evictAll(): Promise<void> {
    try {
      for (const history of all) await history.evict();
    } catch (error) {
      log.error('evicting expired documents failed; the platform will retry', { error });
    }
  }
}
