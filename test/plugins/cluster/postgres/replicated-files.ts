import { setImmediate as turn } from 'node:timers/promises';
import {
  type FoundSnapshot,
  LOG_BLOCK_BYTES,
  type LogFile,
  type LogFiles,
  type LogLines,
  LogRewound,
  type ReportedLoss,
} from '../../../../core/ports/log.js';

export interface ShardState {
  readonly rows: (LogLines & { readonly epoch: number })[];
  lease: { owner: string; epoch: number; until: number } | undefined;
  readonly snapshots: (Omit<FoundSnapshot, 'files'> & { readonly parts: readonly Uint8Array[]; readonly files?: readonly LogFile[] })[];
  /** The blocks of each file. */
  readonly files: Map<string, readonly Uint8Array[]>;
  readonly losses: Map<string, ReportedLoss>;
}

/** The writes of a statement: replayed in the same order, it gives the same state. */
export type Change = (shard: ShardState) => void;
type Write = <T>(shard: string, decide: (state: ShardState) => readonly [result: T, change?: Change]) => Promise<T>;

/** The files of snapshots in a `ReplicatedDatabase`. */
export class ReplicatedFiles implements LogFiles {
  readonly #write: Write;
  readonly #stateOf: (shard: string) => ShardState;
  readonly #mayBeUsed: () => boolean;

  constructor(write: Write, stateOf: (shard: string) => ShardState, mayBeUsed: () => boolean) {
    [this.#write, this.#stateOf, this.#mayBeUsed] = [write, stateOf, mayBeUsed];
  }

  async mayBeUsed(): Promise<boolean> {
    return this.#mayBeUsed();
  }

  async newest(shard: string): Promise<FoundSnapshot | undefined> {
    await turn();
    const snapshot = this.#stateOf(shard).snapshots.at(-1);
    return snapshot && { ...snapshot, files: snapshot.files };
  }

  async write(shard: string, id: string, block: number, bytes: Uint8Array): Promise<void> {
    const copy = Buffer.from(bytes);
    await this.#write(shard, () => [
      undefined,
      ({ files }) => {
        const blocks = [...(files.get(id) ?? [])];
        blocks[block] ??= copy;
        files.set(id, blocks);
      },
    ]);
  }

  async read(shard: string, id: string, position: number, bytes: number): Promise<Uint8Array> {
    await turn();
    const blocks = this.#stateOf(shard).files.get(id) ?? [];
    const missing = blocks.findIndex((block, i) => !block || (i < blocks.length - 1 && block.length < LOG_BLOCK_BYTES));
    return Buffer.concat(missing < 0 ? blocks : blocks.slice(0, missing)).subarray(position, position + bytes);
  }

  async publish(
    shard: string,
    snapshot: Omit<FoundSnapshot, 'files'> & { readonly files: readonly LogFile[] },
    after: string | undefined,
    added: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { through, epoch } = snapshot;
    const isThere = await this.#write(shard, ({ rows, snapshots, files }) => {
      const row = rows.find(({ first, last }) => first <= through && through <= last);
      const hasFiles = [...added].every(([id, blocks]) => files.get(id)?.filter(Boolean).length === blocks);
      if (row?.epoch !== epoch || snapshots.at(-1)?.id !== after || !hasFiles) return [false];
      const change: Change = (state) => {
        state.snapshots.push({ ...snapshot, parts: [] });
        tidyLog(state);
        const listed = new Set(state.snapshots.flatMap((one) => one.files ?? []).map(({ id }) => id));
        for (const id of state.files.keys()) if (!listed.has(id)) state.files.delete(id);
      };
      return [true, change];
    });
    if (!isThere) throw new LogRewound(`a snapshot of shard ${shard} through ${through} cannot be published`);
  }
}

/** Keeps two snapshots, and the log from the last transaction of the older one. */
export function tidyLog({ rows, snapshots }: ShardState): void {
  snapshots.splice(0, Math.max(0, snapshots.length - 2));
  const [previous] = snapshots;
  if (snapshots.length < 2) return;
  while (rows.length > 1 && rows[0]!.last < previous!.through) rows.shift();
}
