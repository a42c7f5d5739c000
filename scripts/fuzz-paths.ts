import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { MemoryStore } from '../core/adapters/store/index.js';
import type { Ports } from '../core/ports/ports.js';
import type { Store, StoreTransaction } from '../core/ports/store.js';
import { SeededIds } from '../core/testing/index.js';
import { RecordingLogger } from '../core/testing/recording-logger.js';
import { routesOf } from './docs/everything.js';
import { type FuzzRequest, requestsTo } from './fuzz/requests.js';
import { startWorld, type World } from './fuzz/world.js';

/**
 * `node scripts/run.mjs fuzz-paths --requests 100000 --seed 1`: sends generated requests to two platforms. One finds everything immediately,
 * so that its calls and transactions run in one go. On the other, each read of a transaction and the second half of each body come later.
 * Exits with 1 when statuses, headers, bodies, log lines or metrics differ.
 */
const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } } });
const wanted = Number(values.requests);
const PER_WORLD = 2_000;
const MAX_DIFFERENCES = 10;
/** A response that never ends, and those with random codes, used memory and measured times. */
const LEFT_OUT = ['/admin/v1/events', '/admin/v1/console/sessions', '/admin/v1/memory', '/admin/v1/metrics'];

const later = async <T>(value: Promise<T> | T): Promise<T> => {
  await new Promise(setImmediate);
  return value;
};

/** The object with some other methods; the rest are its own, with their private fields. */
const withMethods = <T extends object>(target: T, methods: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' && !(name in methods) ? value.bind(target) : value;
    },
  });

/** A store whose transactions wait for each read. */
const slow = (store: Store): Store =>
  withMethods(store, {
    transaction: (work) =>
      store.transaction((tx) =>
        work(
          withMethods<StoreTransaction>(tx, {
            in: (type) => {
              const documents = tx.in(type);
              return withMethods(documents, {
                peek: (key) => later(documents.peek!(key)),
                peekBy: (index, fields) => later(documents.peekBy!(index, fields)),
                peekAll: (index, range) => later(documents.peekAll!(index, range)),
              });
            },
          }),
        ),
      ),
  });

/** As text, without the time of day: in the header `date`, and in hapi's ids of requests. */
const shown = (value: unknown): string => (JSON.stringify(value) ?? '').replaceAll(/\b\d{13}(?:-|:[\w.-]+:\d+:\w+:)(\d{5})\b/g, '$1');

async function ask({ server, settle }: World, request: FuzzRequest, isSplit: boolean): Promise<string> {
  // As bytes, which may be split anywhere.
  const body = request.payload === undefined ? {} : { payload: Buffer.from(request.payload) };
  const { statusCode, headers, payload } = await server.inject({ ...request, ...body, ...(isSplit && { simulate: { split: true } }) });
  // Deliveries and other work of the call end before the next one.
  await settle();
  return shown({ statusCode, headers: { ...headers, date: undefined }, payload });
}

/** The metrics without measured times and memory. */
async function counts(world: World): Promise<string> {
  const url = '/admin/v1/metrics';
  const { payload } = await world.server.inject({ method: 'GET', url, headers: { authorization: `Bearer ${world.adminKey}` } });
  return payload
    .split('\n')
    .filter((line) => !/_bucket|_sum|_bytes|quantile=|^(process|nodejs)_/.test(line))
    .join('\n');
}

/** Counts a difference, and prints both sides from shortly before it. */
function compare(what: string, fast: string, waiting: string): void {
  if (fast === waiting) return;
  differences++;
  let at = 0;
  while (fast[at] === waiting[at]) at++;
  const part = (text: string) => text.slice(Math.max(0, at - 100), at + 300);
  console.error(`${what}, at ${at}\n  in one go: ${part(fast)}\n  waiting:   ${part(waiting)}`);
}

async function start(seed: number, isSlow: boolean): Promise<{ world: World; lines: () => string[]; end: () => Promise<void> }> {
  const log = new RecordingLogger();
  const store = new MemoryStore({ log });
  const ports: Partial<Ports> = { ids: new SeededIds(`paths ${seed}`), log, store: isSlow ? slow(store) : store };
  const endings: (() => unknown)[] = [];
  const world = await startWorld({ teardown: (end: () => unknown) => endings.push(end) } as never, [], {
    ports,
    secretKey: '5a'.repeat(32),
  });
  const lines = () => log.lines.map(shown);
  return {
    world,
    lines,
    end: async () => {
      await world.server.stop();
      for (const end of endings) await end();
    },
  };
}

let sent = 0;
let differences = 0;
const isOver = (): boolean => sent >= wanted || differences >= MAX_DIFFERENCES;
for (let seed = Number(values.seed); !isOver(); seed++) {
  const [fast, waiting] = [await start(seed, false), await start(seed, true)];
  const routes = routesOf(fast.world.server).filter(({ path }) => !LEFT_OUT.includes(path));
  const each = Math.max(1, Math.ceil(Math.min(PER_WORLD, wanted - sent) / routes.length));
  const drawn = routes.map((mounted, i) => fc.sample(requestsTo(mounted, fast.world), { numRuns: each, seed: seed * 1_000 + i }));
  for (const deletes of [false, true]) {
    for (let n = 0; n < each; n++) {
      for (const requests of drawn) {
        const request = requests[n]!;
        if (isOver() || (request.method === 'DELETE') !== deletes) continue;
        sent++;
        compare(
          `seed ${seed}, ${JSON.stringify(request).slice(0, 800)}`,
          await ask(fast.world, request, false),
          await ask(waiting.world, request, true),
        );
      }
    }
  }
  compare(`seed ${seed}, metrics`, await counts(fast.world), await counts(waiting.world));
  const [lines, others] = [fast.lines(), waiting.lines()];
  lines.forEach((line, i) => {
    if (!isOver()) compare(`seed ${seed}, line ${i} of the log`, line, others[i] ?? '');
  });
  await fast.end();
  await waiting.end();
}
console.log(
  `${sent} requests to a platform that runs in one go and to one that waits, from seed ${values.seed}; ${differences} differences`,
);
process.exit(differences > 0 ? 1 : 0);
