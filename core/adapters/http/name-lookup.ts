import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The addresses of a host, at least one. Rejects with an error whose `code` is that of Node: ENOTFOUND, EAI_AGAIN, ... */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface NameLookupOptions {
  /** Name servers to ask, `192.0.2.1` or `192.0.2.1:5353`; those of the system if not given. */
  readonly servers?: readonly string[];
  /** How long one name server is given the first time; 1500 if not given. It is asked twice. */
  readonly tryMs?: number;
  /** Asks about names that name servers do not know; getaddrinfo if not given. */
  readonly system?: Lookup;
  /** Milliseconds that go on; those of the process if not given. */
  readonly now?: () => number;
}

/** An answer is good for as long as its name server says, and never longer than this. What was not found is asked again. */
const MAX_CACHE_SECONDS = 30;
const MAX_CACHED = 1_000;
const TRIES = 2;
/** How long the other family of addresses is waited for once there is an address (RFC 8305). */
const OTHER_FAMILY_MS = 50;
/** The system's own look-ups block a thread each of the four that also serve files. */
const MAX_SYSTEM_LOOKUPS = 2;
/** The name servers cannot tell: a hosts file, the local network or nobody can. */
const ASK_THE_SYSTEM = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Looks names up at the name servers, without blocking threads, and asks the system about names those do not know (a hosts
 * file, the local network). A host is looked up once at a time, however many ask, and its answer is used again for a short time.
 */
export function nameLookup({ servers, tryMs = 1500, system = askSystem, now = () => performance.now() }: NameLookupOptions = {}): Lookup {
  const resolver = new Resolver({ timeout: tryMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const pendingStarts = new Map<string, ReturnType<Lookup>>();
  const kept = new Map<string, { readonly until: number; readonly addresses: readonly ResolvedAddress[] }>();
  const askLocally = atMost(MAX_SYSTEM_LOOKUPS, system);

  return (host) => {
    const answered = kept.get(host);
    if (answered && answered.until > now()) return Promise.resolve(answered.addresses);
    const known = pendingStarts.get(host);
    if (known) return known;
    const asking = ask(host).finally(() => pendingStarts.delete(host));
    pendingStarts.set(host, asking);
    return asking;
  };

  async function ask(host: string): Promise<readonly ResolvedAddress[]> {
    if (isLocalName(host)) return askLocally(host);
    try {
      const { addresses, seconds } = await askNameServers(resolver, host);
      if (kept.size >= MAX_CACHED) kept.clear();
      kept.set(host, { addresses, until: now() + Math.min(seconds, MAX_CACHE_SECONDS) * 1_000 });
      return addresses;
    } catch (error) {
      if (ASK_THE_SYSTEM.has((error as NodeJS.ErrnoException).code ?? '')) return askLocally(host);
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
  const asked = ([4, 6] as const).map(async (family) => {
    const records = await (family === 4 ? resolver.resolve4(host, { ttl: true }) : resolver.resolve6(host, { ttl: true }));
    const addresses = records.map(({ address }) => ({ address, family }));
    seconds = Math.min(seconds, ...records.map(({ ttl }) => ttl));
    if (family === 4) found.unshift(...addresses);
    else found.push(...addresses);
  });
  try {
    await Promise.any(asked);
  } catch (error) {
    // A family that has no address says nothing; that the other could not be asked does.
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[];
    throw errors.find(({ code }) => !ASK_THE_SYSTEM.has(code ?? '')) ?? errors[0];
  }
  await Promise.race([Promise.allSettled(asked), sleep(OTHER_FAMILY_MS, undefined, { ref: false })]);
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

/** The same function, with no more than `limit` calls at a time. */
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
