import { AsyncLocalStorage } from 'node:async_hooks';

/** Work that a clock waits for. */
interface Activity {
  readonly owner: WorkInProgress;
  /** The work of another clock that this is part of. */
  readonly outer: Activity | undefined;
  /** Sleeps and nested work in progress. While there are any, the clock waits for those instead of this activity. */
  inside: number;
  ended: boolean;
}

/**
 * One for all clocks: Node.js 20 copies each that is enabled to every promise of the process. Work that never ends, such as that of a platform
 * that a test abandons, keeps it enabled.
 */
const current = new AsyncLocalStorage<Activity>();
/** Tracked work that has not ended, also while it sleeps. */
let tracked = 0;

/** Number of event-loop turns to wait for callbacks that are not tracked. */
const TURNS = 4;
/** The wait is split, so that a stall of the whole process uses up one slice and not all of it. */
const PATIENCE_SLICES = 10;
/** The maximum wait for work in progress in patiences: new work may start all the time. */
const MAX_PATIENCES = 10;

/** The work in progress that a manual clock waits for before it advances. */
export class WorkInProgress {
  readonly #patienceMs: number;
  readonly #active = new Set<Activity>();
  #changes = 0;
  #onChange: (() => void) | undefined;

  /** @param patienceMs real milliseconds that work may stall before it is ignored */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Whether the caller runs inside work in progress. */
  get isInside(): boolean {
    return this.#currentActivity() !== undefined;
  }

  /** Runs `work` as part of the caller's work, if the caller runs inside any. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#track(this.#currentActivity(), () => work());
  }

  /** Runs `work` by itself. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#track(undefined, work);
  }

  /**
   * Runs `work` without an async context, which would slow every promise of the process. It counts as one piece of work: its sleeps and
   * nested work are not recognized as such.
   */
  async untraced<T>(work: () => Promise<T>): Promise<T> {
    const activity = this.#activity();
    this.#active.add(activity);
    this.changed();
    try {
      return await work();
    } finally {
      this.#active.delete(activity);
      this.changed();
    }
  }

  /** The caller's work sleeps from now on: it is not waited for. @returns what ends the sleep; undefined outside work */
  sleeps(): (() => void) | undefined {
    const sleeper = this.#currentActivity();
    if (!sleeper) return undefined;
    this.#enter(sleeper);
    return () => this.#leave(sleeper);
  }

  /** Resolves when no work is in progress, the work in progress has stalled for too long, or new work starts all the time. */
  async settled(): Promise<void> {
    const end = performance.now() + this.#patienceMs * MAX_PATIENCES;
    while (performance.now() < end) {
      const before = this.#changes;
      await turns();
      if (this.#changes !== before) continue;
      if (this.#active.size === 0) return;
      for (let slice = 0; slice < PATIENCE_SLICES && this.#changes === before; slice++)
        await this.#changeWithin(this.#patienceMs / PATIENCE_SLICES);
      // Stalled work is ignored until it continues, so that one dead socket costs the wait once and not at every timer.
      if (this.#changes === before) this.#active.clear();
    }
  }

  /** Call when something happened that may start work. */
  changed(): void {
    this.#changes++;
    this.#onChange?.();
  }

  async #changeWithin(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, ms);
      this.#onChange = () => {
        clearTimeout(limit);
        resolve();
      };
    });
    this.#onChange = undefined;
    // After a stall, the timeout fires before events that arrived in the meantime.
    await turns();
  }

  #currentActivity(): Activity | undefined {
    let activity = current.getStore();
    while (activity && activity.owner !== this) activity = activity.outer;
    return activity?.ended ? undefined : activity;
  }

  #activity(): Activity {
    const around = current.getStore();
    return { owner: this, outer: around?.owner === this ? around.outer : around, inside: 0, ended: false };
  }

  async #track<T>(parent: Activity | undefined, work: () => Promise<T>): Promise<T> {
    const activity = this.#activity();
    if (parent) this.#enter(parent);
    this.#active.add(activity);
    tracked++;
    this.changed();
    try {
      return await current.run(activity, work);
    } finally {
      activity.ended = true;
      this.#active.delete(activity);
      // Otherwise Node.js runs a hook for every promise of the process from the first work on.
      if (--tracked === 0) current.disable();
      if (parent) this.#leave(parent);
      this.changed();
    }
  }

  #enter(activity: Activity): void {
    activity.inside++;
    this.#active.delete(activity);
    this.changed();
  }

  #leave(activity: Activity): void {
    activity.inside--;
    if (activity.inside === 0 && !activity.ended) this.#active.add(activity);
    this.changed();
  }
}

/** Resolves after a few turns of the event loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
