import type { Server } from '@hapi/hapi';
import type { Platform } from '#core';
import type { Logger } from '#core/ports';
import type { ClusterDirectory } from './directory.js';
import { place } from './placement.js';
import type { LocalShards } from './routing/local.js';
import { type OpenedShard, type OuterServer, ShardHost } from './shard-host.js';

export interface AssignedShardsOptions {
  readonly directory: ClusterDirectory;
  readonly open: (shard: string) => OpenedShard;
  readonly outer: OuterServer;
  readonly log: Logger;
}

/** How often this process looks at what it should have. Changes of the directory wake it earlier. */
const TICK_MS = 200;
/** Reports per lease. */
const REPORTS = 5;
/** A successor may lack this many transactions when the owner releases a shard. It applies them before it takes over. */
const MAX_BEHIND = 2_000;
const BALANCE_EVERY_MS = 1_000;
const HAND_OVER_EVERY_MS = 5_000;
/** Pauses before a shard that could not be started is started again; they double. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [250, 15_000];

/** The shards that the directory assigns to this process: starts, stops and hands them over. The process that joined first assigns them. */
export class AssignedShards implements LocalShards {
  readonly #options: AssignedShardsOptions;
  readonly #hosts = new Map<string, ShardHost>();
  #timer: NodeJS.Timeout | undefined;
  #reportTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #assigning: Promise<void> | undefined;
  #balancedAt = Number.NEGATIVE_INFINITY;
  #isLoading = false;
  readonly #handedOverAt = new Map<string, number>();
  /** For shards that could not be started: when they may be started again. */
  readonly #pauses = new Map<string, { readonly ms: number; readonly until: number }>();

  constructor(options: AssignedShardsOptions) {
    this.#options = options;
  }

  owned(shard: string): Server | undefined {
    const host = this.#hosts.get(shard);
    return host?.isServing ? host.server : undefined;
  }

  all(): ReadonlyMap<string, Server> {
    return new Map([...this.#hosts].map(([shard, { server }]) => [shard, server]));
  }

  /** The platform of the first shard. */
  get first(): Platform | undefined {
    const [host] = this.#hosts.values();
    return host?.platform;
  }

  start(): void {
    this.#options.directory.onChange(() => this.#tick());
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#reportLater();
    this.#tick();
  }

  #reportLater(): void {
    this.#reportTimer = setTimeout(() => {
      this.#report();
      this.#reportLater();
    }, this.#options.directory.leaseMs / REPORTS);
  }

  /** Releases all shards. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    clearTimeout(this.#reportTimer);
    await Promise.allSettled([this.#assigning, ...[...this.#hosts.values()].map((host) => this.#end(host))]);
  }

  #report(): void {
    const reports = [...this.#hosts.values()].map((host) => host.report());
    // The directory itself logs why it cannot be reached; the next report follows.
    this.#options.directory.report(reports).catch(() => undefined);
  }

  #tick(): void {
    if (this.#isStopping) return;
    this.#assign();
    const { directory } = this.#options;
    const assignments = directory.assignments();
    const isOwn = (shard: string): boolean => assignments.get(shard)?.owner === directory.self.id;
    // Its own shards first: one that is loaded as a standby while it has no owner yet would be taken over, and handed over soon after.
    for (const shard of [...directory.shards].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a))))
      this.#follow(shard, assignments.get(shard)?.owner, assignments.get(shard)?.standby);
  }

  /** Makes of one shard what the directory assigns. */
  #follow(shard: string, owner: string | undefined, standby: string | undefined): void {
    const { directory } = this.#options;
    const { id } = directory.self;
    const isWanted = owner === id || standby === id;
    const host = this.#hosts.get(shard);
    if (!host) {
      if (isWanted) this.#begin(shard);
    } else if (host.isStopping) return;
    else if (host.isLost) void this.#end(host);
    else if (owner === id) return;
    else if (host.isOwner) {
      const successor = directory.members().find((member) => member.id === owner);
      const report = successor?.reports.find((one) => one.shard === shard);
      const isUpToDate = report?.role === 'standby' && report.transaction >= host.report().transaction - MAX_BEHIND;
      // If the successor does not take over after all, this process does, and the next attempt waits.
      const hasWaited = performance.now() - (this.#handedOverAt.get(shard) ?? Number.NEGATIVE_INFINITY) > HAND_OVER_EVERY_MS;
      if (!successor?.isFresh || !isUpToDate || !hasWaited) return;
      this.#handedOverAt.set(shard, performance.now());
      void this.#end(host);
    } else if (!isWanted) void this.#end(host);
  }

  #begin(shard: string): void {
    const { log, open, outer } = this.#options;
    const pause = this.#pauses.get(shard);
    // One shard is loaded at a time: several would keep the event loop busy for so long that the reads of each other time out.
    if (this.#isLoading || (pause && pause.until > performance.now())) return;
    this.#isLoading = true;
    const host = new ShardHost(shard, open(shard), outer);
    this.#hosts.set(shard, host);
    host.start().then(
      () => {
        this.#isLoading = false;
        this.#pauses.delete(shard);
        this.#report();
        this.#tick();
      },
      (error) => {
        this.#isLoading = false;
        const ms = Math.min(MAX_PAUSE_MS, pause ? 2 * pause.ms : FIRST_PAUSE_MS);
        this.#pauses.set(shard, { ms, until: performance.now() + ms });
        log.error('a shard could not be started; it is tried again', { shard, in_ms: ms, error });
      },
    );
  }

  async #end(host: ShardHost): Promise<void> {
    try {
      await host.stop();
    } catch (error) {
      this.#options.log.warn('a shard did not stop in an orderly way', { shard: host.shard, error });
    }
    if (this.#hosts.get(host.shard) === host) this.#hosts.delete(host.shard);
    if (!this.#isStopping) this.#report();
  }

  /** The process that joined first assigns the shards. One that others take for ended, although it runs, changes nothing. */
  #assign(): void {
    const { directory } = this.#options;
    const members = directory.members();
    if (members[0]?.id !== directory.self.id || this.#assigning) return;
    if (!directory.isLeader) {
      this.#inTurn(() => directory.lead());
      return;
    }
    const current = directory.assignments();
    const owners = new Map(
      directory.shards.flatMap((shard) => {
        const owner = directory.ownerOf(shard);
        return owner ? [[shard, owner.id] as const] : [];
      }),
    );
    const isSettled = directory.shards.every((shard) => owners.get(shard) === current.get(shard)?.owner);
    const mayBalance = isSettled && performance.now() - this.#balancedAt > BALANCE_EVERY_MS;
    const rates = new Map(
      members.flatMap(({ reports }) => reports.filter(({ role }) => role === 'owner').map(({ shard, rate }) => [shard, rate] as const)),
    );
    const next = place({ shards: directory.shards, members, current, owners, rates, mayBalance });
    const hasChanged = directory.shards.some((shard) => {
      const [a, b] = [current.get(shard), next.get(shard)];
      return a?.owner !== b?.owner || a?.standby !== b?.standby;
    });
    if (!hasChanged) return;
    if (mayBalance) this.#balancedAt = performance.now();
    this.#inTurn(() => directory.assign(next));
  }

  /** One change of the assignments at a time, each decided after the previous one was stored. */
  #inTurn(change: () => Promise<unknown>): void {
    const { directory, log } = this.#options;
    this.#assigning = change()
      .then(() => directory.catchUp())
      .catch((error) => log.warn('the shards could not be assigned; it is tried again', { error }))
      .finally(() => {
        this.#assigning = undefined;
      });
  }
}
