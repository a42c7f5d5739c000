import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * The header of a call that a process passes on to the owner of a shard: `<shard> <milliseconds since 1970> <signature>`. It only names the
 * shard that shall respond, and grants nothing: the owner authenticates the call like any other. The time is for members of release 0.1.0,
 * which refuse a header that is older than a minute. A process that refused one would take the call for that of a client and pass it on again, to
 * all shards if it is a list: with clocks that differ, calls would multiply without end.
 */
export const HOP_HEADER = 'x-posthorn-shard';
/** The header of the 421 of a process that does not own the shard of the call; the call had no effect. */
export const NOT_OWNER_HEADER = 'x-posthorn-not-owner';

const HOP_VALUE = /^([\w-]{1,64}) (\d{1,16}) ([0-9a-f]{64})$/;

/** A call by its method and URL. */
export interface CalledUrl {
  readonly method: string;
  readonly url: string;
}

/** Signs and checks the header of calls between processes. Derived from the secret key, which all processes share. */
export class HopSigner {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(secretKey: string, now: () => number = Date.now) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'posthorn calls between processes', 32));
    this.#now = now;
  }

  /** The value of the header for a call. */
  header(shard: string, call: CalledUrl): string {
    const at = this.#now();
    return `${shard} ${at} ${this.#signature(shard, String(at), call)}`;
  }

  /** The shard that a call names; undefined when the header is not one of these processes, or was made for another call. */
  shardOf(header: string, call: CalledUrl): string | undefined {
    const [, shard, at, signature] = HOP_VALUE.exec(header) ?? [];
    if (shard === undefined || at === undefined || signature === undefined) return undefined;
    return timingSafeEqual(Buffer.from(signature), Buffer.from(this.#signature(shard, at, call))) ? shard : undefined;
  }

  #signature(shard: string, at: string, { method, url }: CalledUrl): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([shard, at, method.toUpperCase(), url]))
      .digest('hex');
  }
}
