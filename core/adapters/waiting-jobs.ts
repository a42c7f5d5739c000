import sortedBtree from 'sorted-btree';
import type { Lane } from '../ports/queue.js';

/** What is known in memory of a job that waits: enough to say when its turn is. */
export interface WaitingJob {
  readonly key: string;
  readonly lane: Lane;
  /** Milliseconds of the platform's wall clock. */
  readonly dueAt: number;
  /** Of its push; no two jobs have the same. */
  readonly order: number;
  readonly serial: string | undefined;
}

// The package is CommonJS: its class is a property of what is imported.
const BTree = sortedBtree.default;
type InOrder = InstanceType<typeof BTree<WaitingJob, undefined>>;

const compare = (a: WaitingJob, b: WaitingJob): number => a.dueAt - b.dueAt || a.order - b.order;
const inOrder = (): InOrder => new BTree<WaitingJob, undefined>(undefined, compare);

/** Out of ten jobs that could all run: a lane that always has some does not shut out the others. */
const WEIGHTS: Readonly<Record<Lane, number>> = { high: 6, default: 3, low: 1 };
const LANES = Object.keys(WEIGHTS) as Lane[];

/** The jobs of one queue that wait, and the rules that say which is next. */
export class WaitingJobs {
  readonly #jobs = new Map<string, { job: WaitingJob; place: InOrder }>();
  readonly #later = inOrder();
  readonly #ready: Readonly<Record<Lane, InOrder>> = { high: inOrder(), default: inOrder(), low: inOrder() };
  /** Who has the turn of a serial key; undefined while that job runs. */
  readonly #turns = new Map<string, WaitingJob | undefined>();
  readonly #behind = new Map<string, InOrder>();
  #credit = { ...WEIGHTS };

  get size(): number {
    return this.#jobs.size;
  }

  /** When the next job becomes due that is not yet. */
  get nextDue(): number | undefined {
    return this.#later.minKey()?.dueAt;
  }

  get(key: string): WaitingJob | undefined {
    return this.#jobs.get(key)?.job;
  }

  *all(): Iterable<WaitingJob> {
    for (const { job } of this.#jobs.values()) yield job;
  }

  /** In the place of what waits under the same key. */
  put(job: WaitingJob): void {
    this.remove(job.key);
    this.#move(job, this.#later);
  }

  remove(key: string): void {
    const known = this.#jobs.get(key);
    if (!known) return;
    const { job, place } = known;
    this.#jobs.delete(key);
    place.delete(job);
    if (job.serial !== undefined && this.#turns.get(job.serial) === job) this.#passTurn(job.serial);
  }

  /** Takes out the job whose turn it is. Its serial key is busy until `ended`. */
  take(now: number): WaitingJob | undefined {
    for (let due = this.#later.minKey(); due && due.dueAt <= now; due = this.#later.minKey()) this.#arrive(due);
    const lane = this.#nextLane();
    if (!lane) return undefined;
    const job = this.#ready[lane].minKey()!;
    this.#ready[lane].delete(job);
    this.#jobs.delete(job.key);
    if (job.serial !== undefined) this.#turns.set(job.serial, undefined);
    return job;
  }

  /** A job that was taken does not run any more. */
  ended({ serial }: WaitingJob): void {
    if (serial !== undefined) this.#passTurn(serial);
  }

  #arrive(job: WaitingJob): void {
    const { serial } = job;
    this.#later.delete(job);
    if (serial === undefined) {
      this.#move(job, this.#ready[job.lane]);
    } else if (!this.#turns.has(serial)) {
      this.#giveTurn(job, serial);
    } else {
      this.#queueUp(job, serial, this.#turns.get(serial));
    }
  }

  #queueUp(job: WaitingJob, serial: string, holder: WaitingJob | undefined): void {
    const behind = this.#behind.get(serial) ?? inOrder();
    this.#behind.set(serial, behind);
    // One that became due before the holder, but is heard of only now, goes first unless the holder runs.
    if (holder && compare(job, holder) < 0) {
      this.#ready[holder.lane].delete(holder);
      this.#move(holder, behind);
      this.#giveTurn(job, serial);
    } else {
      this.#move(job, behind);
    }
  }

  #giveTurn(job: WaitingJob, serial: string): void {
    this.#turns.set(serial, job);
    this.#move(job, this.#ready[job.lane]);
  }

  #passTurn(serial: string): void {
    const behind = this.#behind.get(serial);
    const next = behind?.minKey();
    if (!behind || !next) {
      this.#turns.delete(serial);
      this.#behind.delete(serial);
      return;
    }
    behind.delete(next);
    this.#giveTurn(next, serial);
  }

  #move(job: WaitingJob, place: InOrder): void {
    place.set(job, undefined);
    this.#jobs.set(job.key, { job, place });
  }

  #nextLane(): Lane | undefined {
    const filled = LANES.filter((lane) => !this.#ready[lane].isEmpty);
    if (filled.length === 0) return undefined;
    let lane = filled.find((one) => this.#credit[one] > 0);
    if (!lane) {
      this.#credit = { ...WEIGHTS };
      lane = filled[0]!;
    }
    this.#credit[lane]--;
    return lane;
  }
}
