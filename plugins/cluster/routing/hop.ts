import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Request } from '@hapi/hapi';
import { isSameSecret } from '#core';
import type { Identified } from '../../../core/kernel/http/operators.js';

/**
 * The header of a call that a process passes on to the owner of a shard: `<shard> <milliseconds since 1970> <signature>`. It only names the
 * shard that shall respond, and grants nothing: the owner authenticates the call like any other. The time is for members of release 0.1.0,
 * which refuse a header that is older than a minute. A process that refused one would take the call for that of a client and pass it on again, to
 * all shards if it is a list: with clocks that differ, calls would multiply without end.
 */
export const HOP_HEADER = 'x-posthorn-shard';
/** The header of the 421 of a process that does not own the shard of the call; the call had no effect. */
export const NOT_OWNER_HEADER = 'x-posthorn-not-owner';

/**
 * The header with the operator of an admin call that a process passes on: `<operator as JSON, base64url> <milliseconds> <signature>`. Only the
 * first shard has the keys and the sessions of browsers, so it authenticates the call, and the others believe this header.
 */
export const OPERATOR_HEADER = 'x-posthorn-operator';
/** The header with the address of the client of a call that a process passes on: `<address> <signature>`, signed with the call's `HOP_HEADER`. */
export const CLIENT_HEADER = 'x-posthorn-client';
/** A call is passed on immediately; clocks of the machines may differ. */
const OPERATOR_MS = 60_000;

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

  /** The value of the header for an operator. */
  operatorHeader(identified: Identified): string {
    const text = Buffer.from(JSON.stringify(identified)).toString('base64url');
    const at = String(this.#now());
    return `${text} ${at} ${this.#operatorSignature(text, at)}`;
  }

  /** The operator that the header names; undefined when it is not one of these processes, or too old. */
  operatorOf(header: string): Identified | undefined {
    const [text = '', at = '', signature = ''] = header.split(' ');
    const expected = Buffer.from(this.#operatorSignature(text, at));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    if (Math.abs(this.#now() - Number(at)) > OPERATOR_MS) return undefined;
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Identified;
  }

  /** The value of the header for the address of a client. @param hop the value of `HOP_HEADER` in the same call */
  clientHeader(address: string, hop: string): string {
    return `${address} ${this.#clientSignature(address, hop)}`;
  }

  /** The address of the client of a call; undefined when no process has passed it on. */
  clientOf({ [CLIENT_HEADER]: header, [HOP_HEADER]: hop }: Request['headers']): string | undefined {
    if (typeof header !== 'string' || typeof hop !== 'string') return undefined;
    const [address = '', signature = ''] = header.split(' ');
    return isSameSecret(signature, this.#clientSignature(address, hop)) ? address : undefined;
  }

  #clientSignature(address: string, hop: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify(['client', address, hop]))
      .digest('hex');
  }

  #operatorSignature(text: string, at: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify(['operator', text, at]))
      .digest('hex');
  }

  #signature(shard: string, at: string, { method, url }: CalledUrl): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([shard, at, method.toUpperCase(), url]))
      .digest('hex');
  }
}

/** For the platform of a shard: the operator that the first shard has identified. Later checks of a request, of its event stream, find the same. */
export function passedOperator(signer: HopSigner): (request: Request) => Identified | undefined {
  const known = new WeakMap<Request, Identified>();
  return (request) => {
    const header = request.headers[OPERATOR_HEADER] as string | undefined;
    const identified = known.get(request) ?? (header === undefined ? undefined : signer.operatorOf(header));
    if (identified) known.set(request, identified);
    return identified;
  };
}
