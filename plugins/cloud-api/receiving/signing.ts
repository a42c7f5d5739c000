import { createHmac } from 'node:crypto';
import { type Clock, isSameSecret, NotFound } from '#core';
import { SignatureRefused } from '../errors.js';
import type { Connections } from '../numbers/connections.js';

const SIGNATURE = /^sha256=([\da-f]{64})$/;
/** An id of a business account or a phone number, as the network writes both. */
const NAMED_ID = /"(?:phone_number_)?id"\s{0,8}:\s{0,8}"?(\d{1,32})/g;
/** Ids of a call that are looked up. The ids of messages and statuses are not digits, so calls of the network have fewer. */
const MAX_NAMED = 10_000;
/** Several apps may have numbers of one business account. */
const MAX_NAMED_APPS = 4;
/** Per minute, bytes of calls that name no connected number and are not signed, times the apps whose secrets were tried. */
const MAX_TRIED_BYTES = 16 * 1024 * 1024;
const MINUTE_MS = 60_000;

const hmacOf = (secret: string, bytes: Uint8Array): string => createHmac('sha256', secret).update(bytes).digest('hex');

/**
 * Finds the app secret that has signed a call of the network. The numbers in the path and in the body decide which secrets are tried, because
 * anybody can send a large call with a signature that is wrong.
 */
export type Signing = ReturnType<typeof createSigning>;

export function createSigning(connections: Connections, clock: Pick<Clock, 'monotonic'>, hmac = hmacOf) {
  let window = Number.NEGATIVE_INFINITY;
  let triedBytes = 0;

  const isSigned = (header: string | undefined, bytes: Uint8Array, secret: string): boolean => {
    const [, given] = SIGNATURE.exec(header ?? '') ?? [];
    return given !== undefined && isSameSecret(given, hmac(secret, bytes));
  };

  /** The secrets of the apps whose numbers or business accounts the body names. */
  async function namedSecrets(bytes: Uint8Array): Promise<readonly string[]> {
    const ids = idsIn(bytes);
    const named = (await connections.list()).filter(({ phone_number_id, waba_id }) => ids.has(phone_number_id) || ids.has(waba_id));
    return (await connections.appSecrets(named)).slice(0, MAX_NAMED_APPS);
  }

  /** The secret of any connected app, for calls that name no connected number; undefined when this minute has had too many that were not signed. */
  async function anySigning(header: string | undefined, bytes: Uint8Array): Promise<string | undefined> {
    const current = Math.floor(clock.monotonic() / MINUTE_MS);
    if (current > window) [window, triedBytes] = [current, 0];
    const secrets = await connections.appSecrets(await connections.list());
    const cost = bytes.length * secrets.length;
    if (triedBytes + cost > MAX_TRIED_BYTES) return undefined;
    triedBytes += cost;
    const signing = secrets.find((secret) => isSigned(header, bytes, secret));
    if (signing !== undefined) triedBytes -= cost;
    return signing;
  }

  return {
    /**
     * The secret that has signed a call to the path of a number. If that number is not here, because it is in another shard or was
     * disconnected, the call may have parts for other numbers of the app.
     * @param number uuid or phone number ID, as in the path
     * @throws NotFound when the number is not here and no app has signed the call, SignatureRefused
     */
    async secret(number: string, header: string | undefined, bytes: Uint8Array): Promise<string> {
      const connected = await connections.byPath(number);
      if (connected) {
        const secret = await connections.secret(connected.number, 'appSecret');
        if (isSigned(header, bytes, secret)) return secret;
        throw new SignatureRefused(header === undefined);
      }
      const notFound = new NotFound('connection of the number', number, 'connection_not_found');
      if (!SIGNATURE.test(header ?? '')) throw notFound;
      const named = await namedSecrets(bytes);
      const signing = named.length > 0 ? named.find((secret) => isSigned(header, bytes, secret)) : await anySigning(header, bytes);
      if (signing === undefined) throw notFound;
      return signing;
    },
  };
}

/** Reads the ids from the bytes: parsing the JSON of a call that is not signed would cost more. */
function idsIn(bytes: Uint8Array): ReadonlySet<string> {
  const ids = new Set<string>();
  let count = 0;
  for (const [, id] of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').matchAll(NAMED_ID)) {
    ids.add(id!);
    if (++count === MAX_NAMED) break;
  }
  return ids;
}
