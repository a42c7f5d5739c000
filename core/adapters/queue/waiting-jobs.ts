import type { ConsumerOptions, Lane, QueueDepth } from '../../ports/queue.js';
import { byTime, type InOrder, inOrder, type WaitingJob } from './job-order.js';
import { ReadyLane } from './ready-lane.js';

/** Of ten jobs started, the number from each lane while all lanes have ready jobs. A busy lane cannot starve the others. */
const WEIGHTS: Readonly<Record<Lane, number>> = { high: 6, default: 3, low: 1 };
const LANES = Object.keys(WEIGHTS) as Lane[];

type JobList = Pick<InOrder, 'delete'> | ReadyLane;
export type Rules = Pick<ConsumerOptions, 'shares' | 'laneOf'>;

/** The queued jobs of one queue, and the rules for which one is next. */
export class WaitingJobs {
  readonly #jobs = new Map<string, { job: WaitingJob; place: JobList }>();
  readonly #later = inOrder(byTime);
  readonly #ready: Readonly<Record<Lane, ReadyLane>>;
  /** The job at the head of each serial key; undefined while that job runs. */
  readonly #heads = new Map<string, WaitingJob | undefined>();
  /** The ready jobs behind the head, by serial key. */
  readonly #behind = new Map<string, InOrder>();
  /** Running jobs by group, and by lane. */
  readonly #runningOf = new Map<string, number>();
  readonly #runningIn: Record<Lane, number> = { high: 0, default: 0, low: 0 };
  readonly #released = new Set<string>();
  #rules: Rules;
  #credit = { ...WEIGHTS };

  constructor(rules: Rules = {}) {
    this.#rules = rules;
    const ready = (lane: Lane) => new ReadyLane((group) => (this.#runningOf.get(group) ?? 0) < this.#roomOf(lane));
    this.#ready = { high: ready('high'), default: ready('default'), low: ready('low') };
  }

  /** Set when a consumer is attached; no job starts before that. */
  set rules(rules: Rules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** When the next delayed job becomes due. */
  get nextDue(): number | undefined {
    return this.#later.minKey()?.dueAt;
  }

  /** The delayed jobs that become due first, by due time. */
  later(limit: number): WaitingJob[] {
    const first: WaitingJob[] = [];
    for (const job of this.#later.keys()) {
      if (first.length === limit) break;
      first.push(job);
    }
    return first;
  }

  get(key: string): WaitingJob | undefined {
    return this.#jobs.get(key)?.job;
  }

  /** The number of jobs by lane. */
  depths(queue: string, now: number, running: Readonly<Record<Lane, number>>): QueueDepth[] {
    const depths = { high: { ready: 0, later: 0 }, default: { ready: 0, later: 0 }, low: { ready: 0, later: 0 } };
    for (const { job } of this.#jobs.values()) depths[job.lane][job.dueAt <= now ? 'ready' : 'later']++;
    return LANES.map((lane) => ({ queue, lane, ...depths[lane], running: running[lane] }));
  }

  /** Adds a job, replacing a queued one with the same key. */
  put(job: WaitingJob): void {
    this.remove(job.key);
    this.#later.set(job, undefined);
    this.#jobs.set(job.key, { job, place: this.#later });
  }

  /** Adds a job that is due, replacing a queued one with the same key. */
  putDue(job: WaitingJob, now: number): void {
    this.remove(job.key);
    this.#become(job, now);
  }

  remove(key: string): void {
    const known = this.#jobs.get(key);
    if (!known) return;
    const { job, place } = known;
    this.#jobs.delete(key);
    place.delete(job);
    if (job.serial !== undefined && this.#heads.get(job.serial) === job) this.#nextHead(job.serial);
  }

  /** Makes the jobs ready that have become due. */
  promote(now: number): void {
    for (let due = this.#later.minKey(); due && due.dueAt <= now; due = this.#later.minKey()) this.#arrive(due, now);
  }

  /** Removes and returns the next job to run. Its serial key is busy until `ended`. */
  take(now: number): WaitingJob | undefined {
    this.promote(now);
    const lane = this.#nextLane();
    if (!lane) return undefined;
    const job = this.#ready[lane].take();
    this.#jobs.delete(job.key);
    this.#count(job, 1);
    if (job.serial !== undefined) this.#heads.set(job.serial, undefined);
    return job;
  }

  /** Call when a running job has released its slot but not ended. */
  released(job: WaitingJob): void {
    this.#released.add(job.key);
    this.#count(job, -1);
  }

  /** Call when a running job has ended. */
  ended(job: WaitingJob): void {
    if (!this.#released.delete(job.key)) this.#count(job, -1);
    if (job.serial !== undefined) this.#nextHead(job.serial);
  }

  #arrive(waited: WaitingJob, now: number): void {
    this.#later.delete(waited);
    this.#become(waited, now);
  }

  /** Makes a job ready, or queues it behind others of its serial key. */
  #become(waited: WaitingJob, now: number): void {
    waited.readyAt = now;
    const { serial, group, delayed } = waited;
    const currentLane = delayed && group !== undefined && this.#rules.laneOf?.(group);
    const lane = currentLane && LANES.includes(currentLane) ? currentLane : waited.lane;
    const job = lane === waited.lane ? waited : { ...waited, lane };
    if (serial === undefined) {
      this.#makeReady(job);
    } else if (!this.#heads.has(serial)) {
      this.#makeHead(job, serial);
    } else {
      this.#queueUp(job, serial, this.#heads.get(serial));
    }
  }

  #queueUp(job: WaitingJob, serial: string, head: WaitingJob | undefined): void {
    const behind = this.#behind.get(serial) ?? inOrder(byTime);
    this.#behind.set(serial, behind);
    // A job that was due before the head but arrives after it becomes the head, unless the head is already running.
    const isFirst = head !== undefined && byTime(job, head) < 0;
    const waiting = isFirst ? head : job;
    if (isFirst) {
      this.#ready[head.lane].delete(head);
      this.#makeHead(job, serial);
    }
    behind.set(waiting, undefined);
    this.#jobs.set(waiting.key, { job: waiting, place: behind });
  }

  #makeHead(job: WaitingJob, serial: string): void {
    this.#heads.set(serial, job);
    this.#makeReady(job);
  }

  #nextHead(serial: string): void {
    const behind = this.#behind.get(serial);
    const next = behind?.minKey();
    if (!behind || !next) {
      this.#heads.delete(serial);
      this.#behind.delete(serial);
      return;
    }
    behind.delete(next);
    this.#makeHead(next, serial);
  }

  #makeReady(job: WaitingJob): void {
    const place = this.#ready[job.lane];
    place.add(job);
    this.#jobs.set(job.key, { job, place });
  }

  #count({ lane, group }: WaitingJob, change: 1 | -1): void {
    this.#runningIn[lane] += change;
    if (group === undefined) return;
    const running = (this.#runningOf.get(group) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(group);
    else this.#runningOf.set(group, running);
    for (const one of LANES) this.#ready[one].roomChanged(group);
  }

  #roomOf(lane: Lane): number {
    return this.#rules.shares?.group?.[lane] ?? Number.POSITIVE_INFINITY;
  }

  /** Deficit round robin over the lanes with ready jobs and free capacity. */
  #nextLane(): Lane | undefined {
    const max = this.#rules.shares?.lane;
    const candidates = LANES.filter(
      (lane) => this.#ready[lane].hasRunnableJob && this.#runningIn[lane] < (max?.[lane] ?? Number.POSITIVE_INFINITY),
    );
    if (candidates.length === 0) return undefined;
    let lane = candidates.find((one) => this.#credit[one] > 0);
    if (!lane) {
      this.#credit = { ...WEIGHTS };
      lane = candidates[0]!;
    }
    this.#credit[lane]--;
    return lane;
  }
}
