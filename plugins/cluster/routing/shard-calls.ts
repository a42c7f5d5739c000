import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { messageOf, NotReady } from '../../../core/errors.js';
import type { Directory, Member } from '../directory.js';
import { CLIENT_HEADER, HOP_HEADER, type HopSigner, NOT_OWNER_HEADER } from './hop.js';

/** A call to the owner of a shard. */
export interface ShardCall {
  readonly method: string;
  /** The address of the client. */
  readonly client?: string;
  /** Path and query, as the client sent them. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Bytes can be sent again to another owner, a stream only while nothing of it was read. */
  readonly body?: Buffer | Readable;
  readonly signal?: AbortSignal;
  /** Whether the response never ends: it is broken off when the shard has another owner. */
  readonly isEndless?: boolean;
}

export type ShardResponse = Dispatcher.ResponseData;

/** Makes calls to other processes. */
export type CallAgent = Pick<Dispatcher, 'request' | 'destroy'>;

export interface ShardCallsOptions {
  readonly directory: Pick<Directory, 'ownerOf' | 'ownerChanged' | 'catchUp'>;
  readonly signer: HopSigner;
  /** Real milliseconds for which a call waits while its shard has no owner that can be reached. */
  readonly waitMs: () => number;
  /** Calls that may wait at a time; further ones get 503 immediately. */
  readonly maxWaiting?: number;
  /** Kept connections of HTTP if not given. */
  readonly agent?: CallAgent;
}

/** A call in progress at a process that owned the shard when it was sent. */
interface Followed {
  readonly shard: string;
  readonly owner: string;
  /** Since when the directory has not named that process as the owner. */
  missingSince: number | undefined;
  readonly lost: AbortController;
}

/** Connections to each other process. Calls above wait in the client. */
const CONNECTIONS = 128;
const MAX_WAITING = 1_000;
/** A call may wait for its rate limit for a minute. */
const HEADERS_TIMEOUT_MS = 75_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** Shorter than Node's 5 s, so that no call is sent over a connection that the other process is closing. */
const KEEP_ALIVE_MS = 4_000;
/** How soon a call looks again for the owner, if nothing tells it earlier. */
const LOOK_AGAIN_MS = 250;
const RETRY_AFTER_SECONDS = 1;
/** Nothing was sent if connecting failed. */
const NOT_SENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const SAFE = new Set(['GET', 'HEAD']);
/** Headers that concern one connection (RFC 9110, 7.6.1), and the one that the called process must not take from clients. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  HOP_HEADER,
  CLIENT_HEADER,
];

/** Calls the owners of shards over kept connections, and waits while a shard changes its owner. */
export class ShardCalls {
  readonly #options: ShardCallsOptions;
  readonly #agent: CallAgent;
  #waiting = 0;
  /** A process that is frozen keeps its connections, and responds to nothing. */
  readonly #followed = new Set<Followed>();
  #following: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ShardCallsOptions) {
    this.#options = options;
    this.#agent = options.agent ?? keptConnections();
  }

  /**
   * @returns the response of the owner; its body must be read
   * @throws NotReady when no owner responds in time, or when the owner was lost before it responded
   */
  async call(shard: string, call: ShardCall): Promise<ShardResponse> {
    const { directory, waitMs } = this.#options;
    let until = performance.now() + waitMs();
    for (;;) {
      const owner = directory.ownerOf(shard);
      const outcome = owner ? await this.#attempt(owner, shard, call) : 'not-sent';
      if (typeof outcome !== 'string') return outcome;
      if (outcome === 'lost' && !isRepeatable(call))
        throw new NotReady(
          'the process that owns the data was lost before it responded; the call may have taken effect',
          'owner_lost',
          RETRY_AFTER_SECONDS,
        );
      const successor = outcome === 'lost' ? directory.ownerOf(shard) : undefined;
      // However long the lost owner has kept the call, the next one gets it.
      if (successor && successor.id !== owner!.id) {
        until = performance.now() + waitMs();
        continue;
      }
      if (outcome === 'sent' || performance.now() >= until || call.signal?.aborted)
        throw new NotReady(
          'the data of this number has no owner at the moment; another process takes over',
          'owner_missing',
          RETRY_AFTER_SECONDS,
        );
      await this.#changeOfOwner();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#agent.destroy();
  }

  /** `not-sent`: the call may be sent again. `sent`: the owner has refused it, and its body is gone. `lost`: it is unknown what happened. */
  async #attempt(
    owner: Member,
    shard: string,
    { method, url, client, headers, body, signal, isEndless }: ShardCall,
  ): Promise<ShardResponse | 'not-sent' | 'sent' | 'lost'> {
    const { signer } = this.#options;
    const hop = signer.header(shard, { method, url });
    const base = new URL(owner.url);
    const followed: Followed = { shard, owner: owner.id, missingSince: undefined, lost: new AbortController() };
    this.#follow(followed);
    let isOpen = false;
    try {
      const response = await this.#agent.request({
        origin: base.origin,
        path: url,
        method: method as Dispatcher.HttpMethod,
        headers: { ...forwarded(headers), [HOP_HEADER]: hop, ...(client && { [CLIENT_HEADER]: signer.clientHeader(client, hop) }) },
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, followed.lost.signal]) : followed.lost.signal,
      });
      isOpen = isEndless ?? false;
      if (isOpen) response.body.once('close', () => this.#followed.delete(followed));
      if (response.headers[NOT_OWNER_HEADER] === undefined) return response;
      await response.body.dump();
      return isStream(body) && body.readableDidRead ? 'sent' : 'not-sent';
    } catch (error) {
      if (signal?.aborted) throw new NotReady(`the client has ended the call: ${messageOf(error)}`, 'client_gone');
      const { code = '' } = error as NodeJS.ErrnoException;
      return NOT_SENT.has(code) && !(isStream(body) && body.readableDidRead) ? 'not-sent' : 'lost';
    } finally {
      if (!isOpen) this.#followed.delete(followed);
    }
  }

  /** Ends the call as soon as the directory names another owner of its shard, or has named none for as long as a call waits for one. */
  #follow(call: Followed): void {
    this.#followed.add(call);
    this.#following ??= this.#endLostCalls().finally(() => {
      this.#following = undefined;
    });
  }

  async #endLostCalls(): Promise<void> {
    const { directory, waitMs } = this.#options;
    while (this.#followed.size > 0 && !this.#isClosed) {
      await directory.ownerChanged(LOOK_AGAIN_MS);
      const now = performance.now();
      for (const call of this.#followed) {
        const owner = directory.ownerOf(call.shard);
        if (owner?.id === call.owner) call.missingSince = undefined;
        else call.missingSince ??= now;
        const isLost = call.missingSince !== undefined && (owner !== undefined || now - call.missingSince >= waitMs());
        if (isLost) call.lost.abort();
      }
    }
  }

  async #changeOfOwner(): Promise<void> {
    if (this.#waiting >= (this.#options.maxWaiting ?? MAX_WAITING))
      throw new NotReady('too many calls wait for data that changes its owner', 'waiting_full', RETRY_AFTER_SECONDS);
    this.#waiting++;
    try {
      await this.#options.directory.ownerChanged(LOOK_AGAIN_MS);
    } finally {
      this.#waiting--;
    }
  }
}

const keptConnections = (): Agent =>
  new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

const isStream = (body: ShardCall['body']): body is Readable => body !== undefined && !Buffer.isBuffer(body);

const isRepeatable = ({ method, body }: ShardCall): boolean => SAFE.has(method.toUpperCase()) && !isStream(body);

function forwarded(headers: ShardCall['headers']): Record<string, string | string[]> {
  const ofConnection = new Set(OF_CONNECTION);
  for (const name of String(headers.connection ?? '').split(',')) ofConnection.add(name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofConnection.has(name) ? [] : [[name, typeof value === 'string' ? value : [...value]]],
    ),
  );
}

/** Headers of a response that a process passes on. */
export function passedOn(headers: ShardResponse['headers']): Record<string, string | string[]> {
  const ofConnection = new Set(OF_CONNECTION);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || ofConnection.has(name) ? [] : [[name, value]])),
  );
}
