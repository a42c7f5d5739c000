import type { Lane } from '../../ports/queue.js';
import type { WaitingJob } from '../queue/job-order.js';
import type { Slot } from './entry.js';

/** A delivery that the consumer works on. */
export interface RunningDelivery {
  readonly job: WaitingJob;
  readonly slot: Slot;
  /** Set when its slot is free again, although its outcome is not durable yet. */
  isReleased: boolean;
  isSent: boolean;
}

/** Maximum number of running deliveries per slot, with those that have released theirs. Bounds the attempts that a crash repeats. */
const RUNNING_PER_SLOT = 4;

/** Counts the running deliveries against the concurrency of the consumer. */
export class RunningDeliveries {
  /** Those that occupy a slot, by lane. */
  readonly lanes: Record<Lane, number> = { high: 0, default: 0, low: 0 };
  readonly #running = new Map<string, RunningDelivery>();
  #released = 0;
  #whenIdle: (() => void)[] = [];

  get count(): number {
    return this.#running.size;
  }

  /** By the uuid of the delivery: one that is settled and restarted meanwhile gets another slot. */
  get(uuid: string): RunningDelivery | undefined {
    return this.#running.get(uuid);
  }

  hasRoom(concurrency: number): boolean {
    return this.count - this.#released < concurrency && this.count < concurrency * RUNNING_PER_SLOT;
  }

  begin(job: WaitingJob, slot: Slot): RunningDelivery {
    const running = { job, slot, isReleased: false, isSent: false };
    this.lanes[job.lane]++;
    this.#running.set(job.key, running);
    return running;
  }

  /** Frees the slot of a delivery that has not ended yet. */
  release(running: RunningDelivery): void {
    running.isReleased = true;
    this.#released++;
    this.lanes[running.job.lane]--;
  }

  end({ job, isReleased }: RunningDelivery): void {
    this.#running.delete(job.key);
    if (isReleased) this.#released--;
    else this.lanes[job.lane]--;
    if (this.count === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  /** Waits until none runs, or `limitMs` (real time) has passed. */
  async idle(limitMs: number): Promise<void> {
    if (this.count === 0) return;
    let limit: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
      limit = setTimeout(resolve, limitMs);
    });
    clearTimeout(limit);
  }
}
