import { TransactionConflict } from '../../ports/store.js';

/** Real milliseconds that one turn may take while others wait. */
const TURN_LIMIT_MS = 10_000;

interface Waiting {
  readonly turn: object;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Lets one transaction at a time commit. A turn that awaits another transaction would block both, so the time of others is limited. */
export class Turns {
  #current: object | undefined;
  #waiting: Waiting[] = [];
  #limit: NodeJS.Timeout | undefined;

  /** Resolves when it is the turn of `turn`; immediately if it already is. @throws TransactionConflict when the current turn does not end */
  async wait(turn: object): Promise<void> {
    if (this.#current === turn) return;
    if (!this.#current) {
      this.#current = turn;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ turn, resolve, reject });
      this.#limit ??= setTimeout(() => this.#refuseWaiting(), TURN_LIMIT_MS);
    });
  }

  /** Ends a turn. Does nothing if it is not the turn of `turn`. */
  end(turn: object): void {
    if (this.#current !== turn) return;
    clearTimeout(this.#limit);
    this.#limit = undefined;
    const next = this.#waiting.shift();
    this.#current = next?.turn;
    if (this.#waiting.length > 0) this.#limit = setTimeout(() => this.#refuseWaiting(), TURN_LIMIT_MS);
    next?.resolve();
  }

  #refuseWaiting(): void {
    this.#limit = undefined;
    const message = `a transaction did not end within ${TURN_LIMIT_MS / 1000} s while others waited for it; a transaction must not await another transaction`;
    for (const { reject } of this.#waiting.splice(0)) reject(new TransactionConflict(message));
  }
}
