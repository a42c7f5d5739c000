import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi, { type Server, type ServerOptions } from '@hapi/hapi';
import { type Platform, withoutUndefined } from '#core';
import { ADMIN_PREFIX } from '../../core/kernel/http/area.js';
import { whyNotReadyOf } from '../../core/platform/platform.js';
import type { ShardReport } from './directory.js';
import { addSessionRoute } from './routing/router.js';

/** A shard that was opened: a platform of its own, and the progress of its store. */
export interface OpenedShard {
  readonly platform: Platform;
  position(): { readonly role: 'starting' | 'standby' | 'owner' | 'lost'; readonly transaction: number; readonly flushMs?: number };
}

/** The settings that the server of a shard takes from that of the host. */
export interface OuterServer {
  readonly prefix: string | undefined;
  readonly settings: ServerOptions;
  readonly isTls: boolean;
}

/** The settings that affect responses, so that a shard responds as a platform without a cluster does. */
export function outerServer({ realm, settings, info }: Server): OuterServer {
  const { router, query, compression, mime, state, debug, routes = {} } = settings as ServerOptions;
  // Strategies and extensions before the handler are those of the host's server, which has received the call.
  const { auth: _, ext: { onPostHandler, onPreResponse, onPostResponse } = {}, ...others } = routes;
  const later = withoutUndefined({ onPostHandler, onPreResponse, onPostResponse });
  return {
    prefix: realm.modifiers.route.prefix,
    settings: withoutUndefined({ router, query, compression, mime, state, debug, routes: { ...others, ext: later } }) as ServerOptions,
    isTls: info.protocol === 'https',
  };
}

const DRAIN_MS = 3_000;
const LOOK_MS = 5;
const RATE_MS = 5_000;

/** A shard in this process, as the owner or as a standby. It cannot be started again after it was stopped or lost. */
export class ShardHost {
  readonly shard: string;
  readonly #opened: OpenedShard;
  readonly #outer: OuterServer;
  readonly #server: Server;
  #inFlight = 0;
  #isLost = false;
  #started: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #rate = 0;
  #measured: { readonly at: number; readonly transaction: number } | undefined;

  constructor(shard: string, opened: OpenedShard, outer: OuterServer) {
    this.shard = shard;
    this.#opened = opened;
    this.#outer = outer;
    this.#server = Hapi.server({
      ...outer.settings,
      autoListen: false,
      listener: createServer(),
      // The connections are those of the host, so a stop leaves them open.
      operations: { cleanStop: false },
      ...(outer.isTls && { tls: true }),
    });
    opened.platform.listen('store.failed', () => {
      this.#isLost = true;
    });
  }

  get server(): Server {
    return this.#server;
  }

  get platform(): Platform {
    return this.#opened.platform;
  }

  /** Another process has taken over, or the shard failed to start. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Whether calls may be handed over to the shard. */
  get isServing(): boolean {
    return !this.#stopping && !this.#isLost && whyNotReadyOf(this.platform)() === undefined;
  }

  get isOwner(): boolean {
    return this.#opened.position().role === 'owner';
  }

  /** Resolves as soon as the shard is a standby or serves. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    const { prefix } = this.#outer;
    try {
      await this.#server.register(this.platform.hapiPlugin, prefix === undefined ? {} : { routes: { prefix } });
      addSessionRoute(this.#server, this.platform.name, prefix ?? '');
      this.#countCalls();
      // Does not listen. Without it, each response would end the connection of the client.
      await this.#server.start();
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
  }

  report(): ShardReport {
    const { role, transaction, flushMs } = this.#opened.position();
    const isOwner = role === 'owner';
    return {
      shard: this.shard,
      role: isOwner && this.isServing ? 'owner' : role === 'standby' ? 'standby' : 'starting',
      transaction,
      rate: isOwner ? Math.round(this.#rateAt(transaction)) : 0,
      ...(isOwner && flushMs !== undefined && { flush_ms: Math.round(flushMs * 10) / 10 }),
    };
  }

  /** Takes no more calls, waits for those in progress, and releases the data: a standby takes over. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      // A server cannot be stopped while it starts.
      await this.#started?.catch(() => undefined);
      for (const end = performance.now() + DRAIN_MS; this.#inFlight > 0 && performance.now() < end; ) await sleep(LOOK_MS);
      await this.#server.stop();
    })();
    return this.#stopping;
  }

  #rateAt(transaction: number): number {
    const at = performance.now();
    const before = this.#measured ?? { at, transaction };
    if (!this.#measured || at - before.at >= RATE_MS) {
      if (at > before.at) this.#rate = (transaction - before.transaction) / ((at - before.at) / 1_000);
      this.#measured = { at, transaction };
    }
    return this.#rate;
  }

  /** Event streams end when the platform stops, so nothing waits for them. */
  #countCalls(): void {
    const events = `${this.#outer.prefix ?? ''}${ADMIN_PREFIX}/events`;
    this.#server.ext('onRequest', (request, h) => {
      if (request.path === events) return h.continue;
      this.#inFlight++;
      request.raw.res.once('close', () => this.#inFlight--);
      return h.continue;
    });
  }
}
