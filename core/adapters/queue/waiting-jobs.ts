import type { ConsumerOptions, Lane, QueueDepth } from '../../ports/queue.js';
import { byPush, byTime, type InOrder, inOrder, type WaitingJob } from './job-order.js';
import { ReadyLane } from './ready-lane.js';

/** Of ten jobs started, the number from each lane while all lanes have ready jobs. A busy lane cannot starve the others. */
const WEIGHTS: Readonly<Record<Lane, number>> = { high: 6, default: 3, low: 1 };
const LANES = Object.keys(WEIGHTS) as Lane[];

type JobList = Pick<InOrder, 'delete'> | ReadyLane;
export interface Rules extends Pick<ConsumerOptions, 'shares' | 'laneOf'> {
  /** Milliseconds between the starts of the jobs of a group; undefined without a limit. */
  readonly gapOf?: (group: string) => number | undefined;
}

/** Jobs of a group may start 20 ms earlier than their gaps allow: a turn of the event loop has one time, and timers are late. */
const AHEAD_MS = 20;

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
  /** When the next job of a group with gaps may start. */
  readonly #startsAt = new Map<string, number>();
  #now = Number.NEGATIVE_INFINITY;
  #rules: Rules;
  #credit = { ...WEIGHTS };

  constructor(rules: Rules = {}) {
    this.#rules = rules;
    const ready = (lane: Lane) =>
      new ReadyLane((group) => (this.#runningOf.get(group) ?? 0) < this.#roomOf(lane) && this.#opensAt(group) <= this.#now);
    this.#ready = { high: ready('high'), default: ready('default'), low: ready('low') };
  }

  /** Set when a consumer is attached; no job starts before that. */
  set rules(rules: Rules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** When the next delayed job becomes due, or one of a group with gaps may start. */
  get nextDue(): number | undefined {
    let next = this.#later.minKey()?.dueAt ?? Number.POSITIVE_INFINITY;
    for (const group of this.#startsAt.keys()) {
      const at = this.#opensAt(group);
      if (at > this.#now) next = Math.min(next, at);
    }
    return Number.isFinite(next) ? next : undefined;
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

  /** The strict serial keys of a group whose head is delayed, and the jobs behind them. */
  blocked(group: string): { readonly keys: number; readonly jobs: number } {
    const found = { keys: 0, jobs: 0 };
    for (const [serial, behind] of this.#behind) {
      const head = this.#heads.get(serial);
      if (head?.group !== group || behind.isEmpty || this.#jobs.get(head.key)?.place !== this.#later) continue;
      found.keys++;
      found.jobs += behind.size;
    }
    return found;
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
    if (job.strict && job.serial !== undefined) this.#enter(job, job.serial);
    else this.#delay(job);
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
    if (now !== this.#now) this.#openGroups(now);
    for (let due = this.#later.minKey(); due && due.dueAt <= now; due = this.#later.minKey()) this.#arrive(due, now);
  }

  /** Removes and returns the next job to run. Its serial key is busy until `ended`. */
  take(now: number): WaitingJob | undefined {
    this.promote(now);
    const lane = this.#nextLane();
    if (!lane) return undefined;
    const job = this.#ready[lane].take();
    this.#jobs.delete(job.key);
    this.#space(job, now);
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
    if (serial === undefined) this.#makeReady(job);
    // It was the head while it was delayed.
    else if (this.#heads.get(serial) === waited) this.#makeHead(job, serial);
    else this.#enter(job, serial);
  }

  #enter(job: WaitingJob, serial: string): void {
    if (this.#heads.has(serial)) this.#queueUp(job, serial, this.#heads.get(serial));
    else this.#makeHead(job, serial);
  }

  #queueUp(job: WaitingJob, serial: string, head: WaitingJob | undefined): void {
    const order = job.strict || head?.strict ? byPush : byTime;
    const behind = this.#behind.get(serial) ?? inOrder(order);
    this.#behind.set(serial, behind);
    // A job that was due before the head but arrives after it becomes the head, unless the head is already running.
    const isFirst = head !== undefined && order(job, head) < 0;
    const waiting = isFirst ? head : job;
    if (isFirst) {
      this.#jobs.get(head.key)!.place.delete(head);
      this.#makeHead(job, serial);
    }
    behind.set(waiting, undefined);
    this.#jobs.set(waiting.key, { job: waiting, place: behind });
  }

  #makeHead(job: WaitingJob, serial: string): void {
    this.#heads.set(serial, job);
    if (job.readyAt === undefined) this.#delay(job);
    else this.#makeReady(job);
  }

  #delay(job: WaitingJob): void {
    this.#later.set(job, undefined);
    this.#jobs.set(job.key, { job, place: this.#later });
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
    this.#roomChanged(group);
  }

  /** Counts the start of a job against the gaps of its group. */
  #space({ group }: WaitingJob, now: number): void {
    const gap = group === undefined ? undefined : this.#rules.gapOf?.(group);
    if (group !== undefined && gap !== undefined) this.#startsAt.set(group, Math.max(now, this.#startsAt.get(group) ?? now) + gap);
  }

  #openGroups(now: number): void {
    this.#now = now;
    for (const [group, at] of this.#startsAt) {
      if (at <= now) this.#startsAt.delete(group);
      if (at - AHEAD_MS <= now) this.#roomChanged(group);
    }
  }

  #opensAt(group: string): number {
    return (this.#startsAt.get(group) ?? Number.NEGATIVE_INFINITY) - AHEAD_MS;
  }

  #roomChanged(group: string): void {
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
