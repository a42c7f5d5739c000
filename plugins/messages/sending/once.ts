import { createHash } from 'node:crypto';
import { Conflict, type JsonObject, PlatformError, type PluginContext, type Transaction, Unavailable } from '#core';
import { type IdempotencyKey, idempotencyKeys } from '../records.js';

const KEPT_MS = 24 * 60 * 60 * 1_000;
/** Expired keys that a new key of the same number removes. More than one, so that they become fewer. */
const REMOVED = 4;

/** 503: the number has as many keys as are kept, and none is older than a day. */
class TooManyKeys extends Unavailable {
  override readonly code = 'idempotency_keys_full';

  constructor(max: number) {
    super(`This number has used ${max} keys within 24 hours; send without Idempotency-Key, or later`, 60);
  }
}

export interface Replied {
  readonly status: number;
  readonly body: JsonObject;
}

export interface OncePorts extends Pick<PluginContext, 'store' | 'clock'> {
  /** The most keys that are kept of a number. */
  readonly max: number;
  /** The response to an error. */
  readonly render: (error: PlatformError) => Replied;
}

/** Lets a call with an `Idempotency-Key` have its effect once: a repetition within 24 hours gets the first response. */
export function createOnce({ store, clock, max, render }: OncePorts) {
  const inProgress = new Set<string>();

  /**
   * The response to an earlier call with the same key; otherwise calls `send`, which must call `keep` in its transaction.
   * @param asked what a repetition must ask for as well
   * @throws Conflict, and what `send` throws
   */
  return async function once(
    { number, key, asked }: { readonly number: string; readonly key: string; readonly asked: unknown },
    send: (keep: (tx: Transaction, body: JsonObject) => Promise<void>) => Promise<JsonObject>,
  ): Promise<{ readonly repeated?: Replied; readonly sent?: JsonObject }> {
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new PlatformError(400, 'idempotency_key_invalid', 'Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces');
    }
    const about = { key: `${number} ${key}`, number, asked: createHash('sha256').update(JSON.stringify(asked)).digest('base64') };
    if (inProgress.has(about.key)) {
      throw new Conflict('idempotency_key_in_progress', 'A call with this Idempotency-Key is in progress; repeat it when that has ended');
    }
    inProgress.add(about.key);
    try {
      const known = await store.open(idempotencyKeys).get(about.key);
      if (known && !isExpired(known)) return { repeated: repeated(known, about.asked) };
      return { sent: await send((tx, body) => put(tx, { ...about, status: 200, body })) };
    } catch (error) {
      if (error instanceof PlatformError && error.status < 500 && error.status !== 401 && error.status !== 429 && !isOfKey(error)) {
        await store.transaction((tx) => put(tx, { ...about, ...render(error) }));
      }
      throw error;
    } finally {
      inProgress.delete(about.key);
    }
  };

  function repeated({ asked: first, status, body }: IdempotencyKey, asked: string): Replied {
    if (asked === first) return { status, body };
    throw new Conflict('idempotency_key_reused', 'Another body was sent with this Idempotency-Key; use a new key for a new message');
  }

  /** The keys of a number are removed in their order, so the first and the last tell how many there are. @throws TooManyKeys */
  async function put(tx: Transaction, record: Omit<IdempotencyKey, 'n' | 'at'>): Promise<void> {
    const keys = tx.in(idempotencyKeys);
    const of = { equals: [record.number] };
    const [last] = await keys.find('order', { ...of, limit: 1, order: 'descending' });
    const oldest = await keys.find('order', { ...of, limit: REMOVED });
    for (const one of oldest) if (isExpired(one)) keys.delete(one.key);
    const first = oldest.find((one) => !isExpired(one));
    if (last && first && last.n - first.n + 1 >= max) throw new TooManyKeys(max);
    keys.put({ ...record, n: (last?.n ?? 0) + 1, at: clock.now().toISOString() });
  }

  function isExpired({ at }: IdempotencyKey): boolean {
    return clock.now().getTime() - Date.parse(at) >= KEPT_MS;
  }
}

const isOfKey = ({ code }: PlatformError): boolean => code === 'idempotency_key_reused';
