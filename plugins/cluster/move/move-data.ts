import { createHash } from 'node:crypto';
import { LinePacker } from '../../../core/adapters/store/index.js';
import { messageOf } from '../../../core/errors.js';
import { LogUnreachable } from '../../../core/ports/log.js';
import { type MovedDocument, MoveNotVerified, type MoveSource, type MoveTarget } from '../../../core/ports/move.js';
import type { TenantTypes } from '../../../core/ports/tenant.js';
import { type CollectionTally, Tally } from './tally.js';
import { TenantShards } from './tenant-shards.js';

/** How far a move is. */
export interface MoveProgress {
  readonly phase: 'distributing' | 'copying' | 'verifying' | 'publishing';
  readonly documents: number;
  /** The part of the phase that is done, from 0 to 1. */
  readonly share: number;
}

/** The result of a move. */
export interface MoveReport {
  readonly from: string;
  readonly to: string;
  /** `already_complete`: a previous call has moved this data. */
  readonly state: 'moved' | 'already_complete';
  /** Parts that an interrupted move had written. */
  readonly resumed_parts: number;
  /** The number of tenants by shard is not shown, because it changes; with one shard, they are not counted. */
  readonly tenants?: number;
  /** Documents of no tenant, such as jobs whose message was deleted. They are in the first shard. */
  readonly without_tenant?: number;
  readonly shards: Readonly<Record<string, { readonly documents: number }>>;
  /** Verified in the target. */
  readonly collections: Readonly<Record<string, CollectionTally>>;
}

export interface MoveOptions {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly shards: readonly string[];
  readonly types: TenantTypes;
  readonly onProgress?: (progress: MoveProgress) => void;
}

/**
 * Moves all data from one place to another, and verifies it there before it becomes the target's data. The source stays as it is. After
 * an interruption, the same call continues.
 * @throws TargetNotEmpty, PlaceInUse, CannotDistribute, MoveNotVerified
 */
export async function moveAll({ source, target, shards, types, onProgress = () => undefined }: MoveOptions): Promise<MoveReport> {
  const id = createHash('sha256')
    .update(JSON.stringify([FORMAT, source.state, shards]))
    .digest('hex');
  const there = await target.begin({ id, shards, through: source.through + 1 });
  const names = { from: source.name, to: target.name };
  if (there === 'complete') return { ...names, state: 'already_complete', resumed_parts: 0, shards: {}, collections: {} };
  onProgress({ phase: 'distributing', documents: 0, share: 0 });
  const map = shards.length === 1 ? undefined : await TenantShards.of(source, types, shards);
  const copied = await copy({ source, target, shards, map, there, onProgress });
  await verify(target, copied, onProgress);
  await source.confirm();
  onProgress({ phase: 'publishing', documents: 0, share: 0 });
  await target.publish(new Map([...copied.shards].map(([shard, { packer }]) => [shard, packer.parts])));
  return {
    ...names,
    state: 'moved',
    resumed_parts: [...there.values()].reduce((sum, parts) => sum + parts, 0),
    ...(map && { tenants: map.tenants, without_tenant: map.orphans }),
    shards: Object.fromEntries([...copied.shards].map(([shard, { tally }]) => [shard, { documents: documentsIn(tally) }])),
    collections: copied.all.collections,
  };
}

/** A change of how documents are packed or distributed needs another one, so that no move continues one of an earlier release. */
const FORMAT = 2;

interface Copy {
  readonly all: Tally;
  readonly bytes: number;
  readonly shards: ReadonlyMap<string, { readonly tally: Tally; readonly packer: LinePacker }>;
}

type CopyOptions = Required<Pick<MoveOptions, 'source' | 'target' | 'shards' | 'onProgress'>> & {
  readonly map: TenantShards | undefined;
  readonly there: ReadonlyMap<string, number>;
};

async function copy({ source, target, shards, map, there, onProgress }: CopyOptions): Promise<Copy> {
  const all = new Tally();
  const into = new Map(shards.map((shard) => [shard, { tally: new Tally(), packer: new LinePacker() }]));
  const write = async (shard: string, lines: Uint8Array | undefined): Promise<void> => {
    const { parts } = into.get(shard)!.packer;
    if (lines && parts > (there.get(shard) ?? 0)) await target.write(shard, parts, lines);
  };
  let [documents, bytes] = [0, 0];
  for await (const batch of source.documents()) {
    for (const document of batch) {
      all.add(document);
      for (const shard of map?.shardsFor(document) ?? shards) {
        const { tally, packer } = into.get(shard)!;
        tally.add(document);
        await write(shard, packer.add(document));
      }
      documents++;
      bytes += document.json.length;
    }
    onProgress({ phase: 'copying', documents, share: Math.min(1, bytes / Math.max(1, source.bytes)) });
  }
  for (const [shard, { packer }] of into) await write(shard, packer.rest());
  return { all, bytes, shards: into };
}

/** Reads everything back. @throws MoveNotVerified */
async function verify(target: MoveTarget, copied: Copy, onProgress: (progress: MoveProgress) => void): Promise<void> {
  let [documents, bytes] = [0, 0];
  for (const [shard, { tally }] of copied.shards) {
    const found = new Tally();
    for await (const batch of readBack(target, shard)) {
      for (const document of batch) {
        found.add(document);
        bytes += document.json.length;
      }
      documents += batch.length;
      onProgress({ phase: 'verifying', documents, share: Math.min(1, bytes / Math.max(1, copied.bytes)) });
    }
    const difference = tally.differenceTo(found);
    if (difference === undefined) continue;
    await target.discard();
    throw new MoveNotVerified(`in shard ${shard} of ${target.name}, ${difference}. ${NOTHING_KEPT}`);
  }
}

async function* readBack(target: MoveTarget, shard: string): AsyncGenerator<readonly MovedDocument[], void> {
  try {
    yield* target.read(shard);
  } catch (error) {
    // The database may be back for the next attempt, and what was written is still there.
    if (error instanceof LogUnreachable) throw error;
    await target.discard();
    throw new MoveNotVerified(`${target.name} cannot be read back: ${messageOf(error)}. ${NOTHING_KEPT}`, { cause: error });
  }
}

const NOTHING_KEPT = 'Nothing of it was kept; run the command again';

const documentsIn = (tally: Tally): number => Object.values(tally.collections).reduce((sum, { documents }) => sum + documents, 0);
