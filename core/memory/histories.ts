import type { Clock, Timer } from '../ports/clock.js';
import { createHistory, type EvictionReason, type History, type HistoryOptions, type HistoryPorts, type HistorySize } from './history.js';

/** A history as a part of the platform declares it; what is not given of its limits has a default. */
export interface NewHistory<T extends object> extends Omit<HistoryOptions<T>, 'limits' | 'share' | 'onEvicted'> {
  readonly limits: { readonly count: number; readonly days: number; readonly bytes?: number | undefined };
}

/** What a history has, and what it may have. */
export interface HistoryReport extends HistorySize {
  readonly name: string;
  readonly most: HistorySize;
}

/** What is left of the count and the bytes while memory is short. */
const REDUCED = 0.25;
/** How often documents are looked for that are too old. */
const CHECK_INTERVAL_MS = 60 * 60 * 1000;

/** Everything that the platform keeps only for a while. */
export type Histories = ReturnType<typeof createHistories>;

/** @param mostBytes what a history may take that does not say */
export function createHistories(
  ports: HistoryPorts & { readonly clock: Pick<Clock, 'after'> },
  { maxBytes, onEvicted }: { maxBytes: number; onEvicted?: (history: string, reason: EvictionReason) => void },
) {
  const { clock, log } = ports;
  const all: Pick<History<never>, 'name' | 'limits' | 'size' | 'load' | 'evict'>[] = [];
  let timer: Timer | undefined;
  let share = 1;

  return {
    /** Declares a history. It is counted when the platform starts, and bounded from then on. */
    create<T extends object>({ limits: { bytes = maxBytes, ...limits }, ...about }: NewHistory<T>): History<T> {
      const history = createHistory(ports, {
        ...about,
        limits: { ...limits, bytes },
        share: () => share,
        ...(onEvicted && { onEvicted: (reason) => onEvicted(about.name, reason) }),
      });
      all.push(history);
      return history;
    },

    /** Counts what there is, and takes away from now on what is too old. */
    async start(): Promise<void> {
      for (const history of all) await history.load();
      scheduleCheck();
    },

    stop(): void {
      timer?.cancel();
    },

    report: (): HistoryReport[] => all.map(({ name, limits: { count, bytes }, size }) => ({ name, ...size(), most: { count, bytes } })),

    /**
     * Leaves every history a quarter of what it may have from now on while memory is short, in the order in which they were declared, and
     * all of it again when it is not.
     * @returns whether there was something to evict
     */
    async squeeze(isShort: boolean): Promise<boolean> {
      share = isShort ? REDUCED : 1;
      const count = () => all.reduce((sum, { size }) => sum + size().count, 0);
      const before = count();
      for (const history of all) await history.evict();
      return count() < before;
    },
  };

  function scheduleCheck(): void {
    timer = clock.after(CHECK_INTERVAL_MS, async () => {
      scheduleCheck();
      await look();
    });
  }

  async function look(): Promise<void> {
    try {
      for (const history of all) await history.evict();
    } catch (error) {
      log.error('documents that are too old could not be evicted; it is tried again', { error });
    }
  }
}
