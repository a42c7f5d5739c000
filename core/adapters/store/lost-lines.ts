import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, type LogLines, type LogLoss, type LogPosition, LogRewound, LogUnreachable, type LostDocument } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';
import type { StoreLosses } from '../../ports/store.js';
import { type TenantType, type TenantTypes, tenantHint, tenantOfAccount, tenantOfNumber } from '../../ports/tenant.js';
import { decodedText, type StoredChange } from './commit.js';
import { commitsIn } from './files/journal-file.js';

export interface LostLinesOptions {
  readonly lines: Log;
  readonly shard: string;
  readonly log: Logger;
  /** The name of the store in messages. */
  readonly name: string;
  readonly types: TenantTypes;
}

type Row = Required<LogLines> & { readonly isOwn: boolean };

/** Lines that are remembered, to tell what a database that has failed over does not have any more. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DOCUMENTS = 10_000;
const LOGGED_TENANTS = 20;
const TRY_AGAIN_MS = 1_000;

/** Remembers the newest lines of a shard, and reports those that are not in its log any more. */
export class LostLines implements StoreLosses {
  readonly #options: LostLinesOptions;
  readonly #listeners: ((loss: LogLoss) => void)[] = [];
  readonly #stopping = new AbortController();
  #rows: Row[] = [];
  #bytes = 0;
  #looking: Promise<void> | undefined;

  constructor(options: LostLinesOptions) {
    this.#options = options;
  }

  async list() {
    return (await this.#options.lines.losses?.()) ?? [];
  }

  async confirm(id: string): Promise<boolean> {
    return (await this.#options.lines.confirmLoss?.(id)) ?? false;
  }

  onLoss(listener: (loss: LogLoss) => void): void {
    this.#listeners.push(listener);
  }

  /** Remembers lines that were read, or that this process has appended. They must not change afterwards. */
  add({ epoch, ...lines }: LogLines, isOwn: boolean): void {
    if (epoch === undefined) return;
    this.#rows.push({ ...lines, epoch, isOwn });
    this.#bytes += lines.lines.length;
    while (this.#bytes > MAX_BYTES && this.#rows.length > 1) this.#bytes -= this.#rows.shift()!.lines.length;
  }

  clear(): void {
    [this.#rows, this.#bytes] = [[], 0];
  }

  /** Finds out which of them the log has lost, and stores a report for operators. Resolves when that is done, or `stop` was called. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => this.#options.log.error('lost transactions could not be reported', { store: this.#options.name, error }))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Resolves when nothing is being looked for. */
  async idle(): Promise<void> {
    await this.#looking;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #look(): Promise<void> {
    for (let isAnnounced = false; !this.#stopping.signal.aborted; await sleep(TRY_AGAIN_MS, undefined, { ref: false })) {
      try {
        const loss = lossOf(this.#options, await this.#lost(), this.#rows[0]);
        if (!loss) return;
        if (!isAnnounced) this.#announce(loss);
        isAnnounced = true;
        return await this.#options.lines.reportLoss?.(loss);
      } catch (error) {
        if (!(error instanceof LogUnreachable)) throw error;
      }
    }
  }

  #announce(loss: LogLoss): void {
    const { log, name } = this.#options;
    const { id, kept, last, isAcknowledged, isComplete, documents } = loss;
    const tenants = [...new Set(documents.flatMap(({ tenant = [] }) => tenant))].slice(0, LOGGED_TENANTS);
    const fields = { store: name, loss: id, transactions: last - kept, after: kept, acknowledged: isAcknowledged, complete: isComplete };
    log.error('the database has lost transactions', { ...fields, documents: documents.length, tenants });
    for (const listen of this.#listeners) listen(loss);
  }

  /** The remembered rows that are not in the log. @throws LogUnreachable */
  async #lost(): Promise<readonly Row[]> {
    const { lines, shard } = this.#options;
    const [oldest, newest] = [this.#rows[0], this.#rows.at(-1)];
    if (!oldest || !newest || (await isThere(lines, shard, { tx: newest.last, epoch: newest.epoch }))) return [];
    for (const [i, row] of this.#rows.entries()) {
      const behind = this.#rows.slice(i);
      try {
        const stored = await rowsBetween(lines, shard, row.first - 1, newest.last);
        return behind.filter(({ first, epoch }) => !stored.has(`${first} ${epoch}`));
      } catch (error) {
        if (error instanceof LogUnreachable) throw error;
        if (error instanceof LogRewound) return behind;
        // This row was removed, because a snapshot has replaced it.
      }
    }
    return [];
  }
}

/** The rows of a log, by their first transaction and their epoch. */
async function rowsBetween(log: Log, shard: string, after: number, last: number): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  for await (const batch of log.read(shard, { tx: after }))
    for (const { first, epoch } of batch) {
      if (first > last) return stored;
      stored.add(`${first} ${epoch}`);
    }
  return stored;
}

async function isThere(log: Log, shard: string, position: LogPosition): Promise<boolean> {
  try {
    for await (const _ of log.read(shard, position)) break;
  } catch (error) {
    if (error instanceof LogUnreachable) throw error;
    if (error instanceof LogRewound) return false;
    // Lines after it were removed, because a snapshot has replaced them.
  }
  return true;
}

/** @param oldest the oldest row that is remembered @returns undefined when no document was lost */
function lossOf({ shard, types }: LostLinesOptions, lost: readonly Row[], oldest: Row | undefined): LogLoss | undefined {
  const [first] = lost;
  if (!first) return undefined;
  const found = new Map<string, LostDocument>();
  for (const { lines } of lost)
    for (const { changes } of commitsIn(Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)))
      for (const change of changes) {
        const place = `${change.collection} ${change.key}`;
        found.set(place, { ...found.get(place), ...lostDocument(change, types.get(change.collection)) });
      }
  // Of the rows before the oldest one, this process does not know whether they are there.
  const isComplete = first !== oldest || first.first === 1;
  if (found.size === 0 && isComplete) return undefined;
  return {
    id: `${shard}-${first.first}-${first.epoch}`,
    shard,
    kept: first.first - 1,
    last: lost.at(-1)!.last,
    isAcknowledged: lost.some(({ isOwn }) => isOwn),
    documents: [...found.values()].slice(0, MAX_DOCUMENTS),
    isComplete: isComplete && found.size <= MAX_DOCUMENTS,
  };
}

function lostDocument(change: StoredChange, type: TenantType | undefined): LostDocument {
  const { collection, key, kind } = change;
  if (!type || kind === 'deletion') return { collection, key };
  const document = { [type.key]: key, ...(JSON.parse(decodedText(change)) as Record<string, unknown>) };
  const tenant = tenantOf(type, document);
  const unique = Object.entries(type.unique ?? {}).flatMap(([index, fields]) => {
    const values = fields.map((field) => document[field]) as (string | undefined)[];
    return values.includes(undefined) ? [] : [[index, values as string[]] as const];
  });
  return { collection, key, ...(tenant !== undefined && { tenant }), ...(unique.length > 0 && { unique: Object.fromEntries(unique) }) };
}

function tenantOf({ tenant }: TenantType, document: object): string | undefined {
  const hint = tenant && tenantHint(tenant as never, document);
  if (hint?.kind === 'account') return tenantOfAccount(hint.account);
  if (hint?.kind !== 'number') return undefined;
  return hint.account === undefined ? tenantOfNumber(hint.number) : tenantOfAccount(hint.account);
}
