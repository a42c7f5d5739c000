import { setTimeout as sleep } from 'node:timers/promises';
import { admin, LIMIT_MS } from './acknowledged-load.js';

interface Loss {
  readonly id: string;
  readonly acknowledged: boolean;
  readonly complete: boolean;
  readonly documents: readonly {
    readonly collection: string;
    readonly key: string;
    readonly unique?: { readonly external?: readonly unknown[] };
  }[];
}

const ASK_AGAIN_MS = 250;

/** The reports of a cluster about transactions that its database has lost. */
export class LossReports {
  readonly #problems: string[];
  /** The newest form of each report: another process may know more. */
  readonly #losses = new Map<string, Loss>();

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  /** Reads the reports of a process after each blow, because it shows only the newest ones. */
  async collect(url: string, blow: string, mayLose: boolean): Promise<void> {
    for (const end = performance.now() + LIMIT_MS; ; await sleep(ASK_AGAIN_MS)) {
      const { status, body } = await admin(url, 'GET', '/store/losses').catch(() => ({ status: 0, body: undefined }));
      if (status === 200) return this.#add(body.losses, blow, mayLose);
      if (performance.now() > end) throw new Error(`the reports of losses get ${status}`);
    }
  }

  #add(losses: readonly Loss[], blow: string, mayLose: boolean): void {
    for (const loss of losses) {
      const isNew = !this.#losses.has(loss.id);
      if (isNew && !mayLose && loss.acknowledged) this.#problems.push(`the ${blow} has lost acknowledged transactions: ${loss.id}`);
      if (isNew && !loss.complete) this.#problems.push(`after the ${blow}, not every lost document is known: ${loss.id}`);
      this.#losses.set(loss.id, loss);
    }
  }

  /** The keys of each message that was reported, by the id that the caller gave it. */
  messages(): Map<string, Set<string>> {
    const keys = new Map<string, Set<string>>();
    for (const { documents } of this.#losses.values())
      for (const { collection, key, unique } of documents) {
        const id = unique?.external?.[2];
        if (collection === 'core.messages' && typeof id === 'string') keys.set(id, (keys.get(id) ?? new Set()).add(key));
      }
    return keys;
  }

  /** Every message that was reported must be gone. @returns how many of the acknowledged ones are */
  compare(acknowledged: readonly string[], stored: ReadonlyMap<string, readonly string[]>): number {
    const reported = this.messages();
    for (const [id, keys] of reported)
      for (const key of stored.get(id) ?? []) if (keys.has(key)) this.#problems.push(`${id} was reported as lost, and is stored`);
    return acknowledged.filter((id) => reported.has(id) && !stored.has(id)).length;
  }
}
