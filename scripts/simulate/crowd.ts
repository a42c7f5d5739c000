import type { Random } from './random.js';
import { HOUR_MS, type Run, type Share, type Work } from './run.js';
import type { UsedNumber } from './set-up.js';

/** The share of actions that follow the previous one immediately. */
const AT_ONCE = 0.2;

/** Contacts or clients of a number. Each does one thing after the other, with a random pause before most. */
export abstract class Crowd implements Work {
  /** Set before they begin. */
  number!: UsedNumber;
  protected readonly run: Run;
  protected readonly random: Random;
  readonly #size: number;
  readonly #pauseMs: number;

  /** @param perRound operations of what one of them does between two pauses */
  constructor(run: Run, { random, operations }: Share, size: number, perRound = 1) {
    this.run = run;
    this.random = random;
    this.#size = size;
    this.#pauseMs = (size * HOUR_MS * perRound) / operations;
  }

  begin(): void {
    for (let who = 0; who < this.#size; who++)
      this.run.actor(async () => {
        for (let n = 0; ; n++) {
          if (!this.random.chance(AT_ONCE)) await this.run.world.sleep(this.random.exponential(this.#pauseMs));
          if (this.run.isOver) return;
          await this.act(who, n);
        }
      });
  }

  /** One of them does something, for the nth time. */
  protected abstract act(who: number, n: number): Promise<void>;

  abstract check(): Promise<void>;
}
