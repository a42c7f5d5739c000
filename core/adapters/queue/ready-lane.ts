import { byUrgency, type InOrder, inOrder, type WaitingJob } from './job-order.js';

/** The ready jobs of one lane. Serves the groups of the lane round-robin, and skips groups that are at their limit of running jobs. */
export class ReadyLane {
  readonly #hasRoom: (group: string) => boolean;
  readonly #groups = new Map<string | undefined, Group>();
  /** Sentinel of the ring of groups that have a job to run and are below their limit. */
  readonly #ring = new Group(undefined);

  constructor(hasRoom: (group: string) => boolean) {
    this.#hasRoom = hasRoom;
  }

  get hasRunnableJob(): boolean {
    return this.#ring.next !== this.#ring;
  }

  add(job: WaitingJob): void {
    let group = this.#groups.get(job.group);
    if (!group) {
      group = new Group(job.group);
      this.#groups.set(job.group, group);
    }
    group.jobs.set(job, undefined);
    this.#place(group);
  }

  delete(job: WaitingJob): void {
    const group = this.#groups.get(job.group);
    if (group?.jobs.delete(job)) this.#place(group);
  }

  /** Removes and returns the first job of the next group. Call only when `hasRunnableJob`. */
  take(): WaitingJob {
    const group = this.#ring.next;
    const job = group.jobs.minKey()!;
    group.jobs.delete(job);
    group.unlink();
    this.#place(group);
    return job;
  }

  /** Call when the number of running jobs of a group has changed. */
  roomChanged(name: string): void {
    const group = this.#groups.get(name);
    if (group) this.#place(group);
  }

  /** Appends a group to the ring if it can run a job; otherwise removes it from the ring. */
  #place(group: Group): void {
    const isEmpty = group.jobs.isEmpty;
    const isRunnable = !isEmpty && (group.name === undefined || this.#hasRoom(group.name));
    if (isEmpty) this.#groups.delete(group.name);
    if (!isRunnable) group.unlink();
    else if (group.next === group) group.linkBefore(this.#ring);
  }
}

class Group {
  readonly name: string | undefined;
  readonly jobs: InOrder = inOrder(byUrgency);
  previous: Group = this;
  next: Group = this;

  constructor(name: string | undefined) {
    this.name = name;
  }

  linkBefore(other: Group): void {
    this.previous = other.previous;
    this.next = other;
    other.previous.next = this;
    other.previous = this;
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }
}
