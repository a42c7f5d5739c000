import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to at least one address. Rejects with Node's error codes: ENOTFOUND, EAI_AGAIN, ... */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface NameLookupOptions {
  /** Name servers such as `192.0.2.1` or `192.0.2.1:5353`; those of the system if not given. */
  readonly servers?: readonly string[];
  /** Timeout of the first query to a name server in milliseconds; 1500 if not given. Each server is queried twice. */
  readonly tryMs?: number;
  /** The system resolver, for names that the name servers do not know; `getaddrinfo` if not given. */
  readonly system?: Lookup;
  /** Monotonic milliseconds; `performance.now` if not given. */
  readonly now?: () => number;
}

/** DNS responses are cached for their TTL, at most this long. Failures are not cached. */
const MAX_CACHE_SECONDS = 30;
const MAX_CACHED = 1_000;
const TRIES = 2;
/** How long to wait for the addresses of the other family when those of one family are known (RFC 8305). */
const OTHER_FAMILY_MS = 50;
/** Each system lookup blocks one of the four threads that also serve file access. */
const MAX_SYSTEM_LOOKUPS = 2;
/** Codes after which the system resolver may still know the name, from a hosts file or the local network. */
const ASK_THE_SYSTEM = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Resolves names through the name servers, without blocking threads, and asks the system resolver for names they do not know
 * (hosts file, local network). Concurrent lookups of a host share one query, and answers are cached briefly.
 */
export function nameLookup({ servers, tryMs = 1500, system = askSystem, now = () => performance.now() }: NameLookupOptions = {}): Lookup {
  const resolver = new Resolver({ timeout: tryMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const pending = new Map<string, ReturnType<Lookup>>();
  const cache = new Map<string, { readonly until: number; readonly addresses: readonly ResolvedAddress[] }>();
  const askSystemLimited = atMost(MAX_SYSTEM_LOOKUPS, system);

  return (host) => {
    const cached = cache.get(host);
    if (cached && cached.until > now()) return Promise.resolve(cached.addresses);
    const current = pending.get(host);
    if (current) return current;
    const query = ask(host).finally(() => pending.delete(host));
    pending.set(host, query);
    return query;
  };

  async function ask(host: string): Promise<readonly ResolvedAddress[]> {
    if (isLocalName(host)) return askSystemLimited(host);
    try {
      const { addresses, seconds } = await askNameServers(resolver, host);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(host, { addresses, until: now() + Math.min(seconds, MAX_CACHE_SECONDS) * 1_000 });
      return addresses;
    } catch (error) {
      if (ASK_THE_SYSTEM.has((error as NodeJS.ErrnoException).code ?? '')) return askSystemLimited(host);
      throw error;
    }
  }
}

interface Answer {
  readonly addresses: readonly ResolvedAddress[];
  readonly seconds: number;
}

async function askNameServers(resolver: Resolver, host: string): Promise<Answer> {
  const found: ResolvedAddress[] = [];
  let seconds = MAX_CACHE_SECONDS;
  const queries = ([4, 6] as const).map(async (family) => {
    const records = await (family === 4 ? resolver.resolve4(host, { ttl: true }) : resolver.resolve6(host, { ttl: true }));
    const addresses = records.map(({ address }) => ({ address, family }));
    seconds = Math.min(seconds, ...records.map(({ ttl }) => ttl));
    if (family === 4) found.unshift(...addresses);
    else found.push(...addresses);
  });
  try {
    await Promise.any(queries);
  } catch (error) {
    // A host may have addresses of one family only, so a failed query says more than a family without addresses.
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[];
    throw errors.find(({ code }) => !ASK_THE_SYSTEM.has(code ?? '')) ?? errors[0];
  }
  await Promise.race([Promise.allSettled(queries), sleep(OTHER_FAMILY_MS, undefined, { ref: false })]);
  return { addresses: [...found], seconds };
}

async function askSystem(host: string): Promise<readonly ResolvedAddress[]> {
  const addresses = await systemLookup(host, { all: true, verbatim: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return !name.includes('.') || name.endsWith('.localhost') || name.endsWith('.local');
}

/** Wraps a function so that at most `limit` calls run concurrently. */
function atMost<T>(limit: number, work: (host: string) => Promise<T>): (host: string) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (host) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work(host);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
