// Bench: deliveries per CPU-second of whole stacks that take events over HTTP: posthorn, BullMQ with Redis behind node:http and hapi, pg-boss with PostgreSQL
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { phone } from './api/phones.js';
import { inbound, request, startServer } from './api/sides.js';
import { noCpuFigures } from './measuring/cpu.js';
import { packageFolder } from './measuring/on-demand.js';
import { Receiver } from './measuring/receiver.js';
import { alternate, type Cost, costOf, endChild, inParallel, messageOf, ratioOf, type Side, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';
import { type Database, startPostgres, startRedis, Unavailable } from './stacks/databases.js';
import type { Front, Ready } from './stacks/event-server.js';

const CONNECTIONS = 64;
/** The JSON that is posted, and about the size of what is delivered. */
const EVENT_BYTES = 1_000;

interface QueueStack {
  readonly package: string;
  readonly script: string;
  readonly front: Front;
  readonly start: () => Promise<Database>;
}

const bullmq = { package: 'bullmq', script: 'bullmq-process.js', start: startRedis };
const queues: Readonly<Record<string, QueueStack>> = {
  bullmq: { ...bullmq, front: 'node' },
  'bullmq behind hapi': { ...bullmq, front: 'hapi' },
  'pg-boss': { package: 'pg-boss', script: 'pg-boss-process.js', front: 'node', start: startPostgres },
};
const NO_OUTPOST = 'it has no side in this benchmark: the Go module proxy refused its module with 403, so none could be built and tried';

export interface Round extends Cost {
  readonly acceptedMs: number;
}

export interface Stacks {
  readonly rounds: Map<string, Round[]>;
  /** The stacks that were not measured, with the reason. */
  readonly missing: Map<string, string>;
  /** The databases, with their versions. */
  readonly versions: readonly string[];
}

export interface StackLoad {
  readonly events: number;
  readonly rounds: number;
  /** How many settled deliveries our platform keeps, and has before the first round. */
  readonly history?: number;
}

/** Posts `events` events in each round to each stack, and waits for their deliveries. */
export async function measureStacks({ events, rounds, history = 0 }: StackLoad): Promise<Stacks> {
  const missing = new Map([['outpost', NO_OUTPOST]]);
  const databases: Database[] = [];
  const receiver = await Receiver.start();
  const sides: Side<Round>[] = [];
  const sideOf = (name: string, pids: readonly number[], post: (n: number) => Promise<void>, stop: () => Promise<void>): Side<Round> => {
    let first = 0;
    return {
      name,
      async round() {
        const target = (await receiver.count()) + events;
        let acceptedMs = 0;
        const cost = await costOf(pids, async () => {
          const began = performance.now();
          const accepted = inParallel(events, CONNECTIONS, (n) => post(first + n)).then(() => {
            acceptedMs = performance.now() - began;
          });
          await Promise.all([accepted, receiver.reached(target)]);
        });
        first += events;
        return { ...cost, acceptedMs };
      },
      stop,
    };
  };

  async function startPosthorn(): Promise<Side<Round>> {
    const { child, ready } = await startServer('ours', receiver, { history });
    const pool = new Pool(`http://127.0.0.1:${ready.port}`, { connections: CONNECTIONS });
    const text = filler(EVENT_BYTES - JSON.stringify(inbound(ready, 0, '').body).length);
    return sideOf(
      'posthorn',
      [child.pid!],
      (n) => request(pool, inbound(ready, n, text)),
      async () => {
        await pool.close();
        await endChild(child);
      },
    );
  }

  async function startQueue(name: string, { script, front, start, ...stack }: QueueStack): Promise<Side<Round> | undefined> {
    try {
      installed(stack.package);
      const database = await start();
      databases.push(database);
      const child = fork(join(import.meta.dirname, 'stacks', script), [receiver.url, database.url, front]);
      const ready = await messageOf<Ready>(child, name);
      await receiver.expectSignatures(ready.secrets);
      const pool = new Pool(`http://127.0.0.1:${ready.port}`, { connections: CONNECTIONS });
      const text = filler(EVENT_BYTES - JSON.stringify(eventOf(0, '')).length);
      const call = { method: 'POST', path: '/events', token: 'none' } as const;
      return sideOf(
        name,
        [child.pid!, database.pid],
        (n) => request(pool, { ...call, body: eventOf(n, text) }),
        async () => {
          await pool.close();
          await endChild(child);
        },
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      missing.set(name, error.message);
      return undefined;
    }
  }

  try {
    sides.push(await startPosthorn());
    for (const [name, queue] of Object.entries(queues)) {
      const side = await startQueue(name, queue);
      if (side) sides.push(side);
    }
    const measured = await alternate(sides, rounds);
    return { rounds: measured, missing, versions: databases.map(({ version }) => version) };
  } finally {
    for (const database of databases) await database.stop();
    await receiver.stop();
  }
}

/** @throws Unavailable */
function installed(name: string): void {
  try {
    packageFolder(name);
  } catch (error) {
    throw new Unavailable((error as Error).message);
  }
}

const filler = (length: number): string => 'a question about opening hours '.repeat(Math.ceil(length / 31)).slice(0, length);

const eventOf = (n: number, text: string): object => ({
  contacts: [{ profile: { name: 'Ann' }, wa_id: phone(n) }],
  messages: [{ type: 'text', from: phone(n), id: `in-${n}`, timestamp: '1767600000', text: { body: text } }],
});

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '3000' },
      rounds: { type: 'string', default: '5' },
      /** How many settled deliveries our platform keeps, and has before the first round. */
      history: { type: 'string', default: '0' },
    },
  });
  const [events, rounds, history] = [values.events, values.rounds, values.history].map(Number) as [number, number, number];
  const { rounds: measured, missing, versions } = await measureStacks({ events, rounds, history });
  const ours = measured.get('posthorn')!;
  printTable(
    [
      `median of ${rounds} x ${events}`,
      'accepted/s',
      'delivered/s',
      'deliveries per CPU-second',
      'min',
      'max',
      'CPU us each',
      'posthorn / this',
    ],
    [...measured].map(([name, all]) => {
      const perCpuSecond = spreadOf(all.map(({ cpuMs }) => (events / cpuMs) * 1000));
      return [
        name,
        ...[({ acceptedMs }: Round) => acceptedMs, ({ ms }: Round) => ms].map((read) =>
          spreadOf(all.map((round) => (events / read(round)) * 1000)).median.toFixed(0),
        ),
        ...[perCpuSecond.median, perCpuSecond.min, perCpuSecond.max].map((rate) => rate.toFixed(0)),
        spreadOf(all.map(({ cpuMs }) => (cpuMs / events) * 1000)).median.toFixed(0),
        name === 'posthorn' ? '' : ratioOf(ours, all, ({ cpuMs }) => 1 / cpuMs).median.toFixed(2),
      ];
    }),
  );
  console.log(`Events of 1 KB, posted over HTTP at ${CONNECTIONS}, durable before the response, signed, and delivered to one receiver.`);
  console.log('CPU: of all processes of a stack with the database and its children; the caller and the receiver are not counted.');
  if (versions.length > 0) console.log(`Databases: ${[...new Set(versions)].join(', ')}.`);
  for (const [name, reason] of missing) console.log(`${name} was not measured: ${reason}.`);
  if (noCpuFigures !== undefined) console.log(`CPU times were not measured: ${noCpuFigures}.`);
}

if (process.argv[1] === import.meta.filename) await run();
