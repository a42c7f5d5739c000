// Delivers for minutes at a share of this machine's capacity, to endpoints of which some are dead, slow, flapping or broken.
// Checks that memory stays flat, that no rejection is unhandled, and that every delivery ends.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPlatform, type DeliveryRecord, type WebhookRecord } from '#core';
import { median } from './bench/measuring/table.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Share of the capacity measured at the start. */
    share: { type: 'string', default: '0.7' },
    /** Events per second, instead of a share of the capacity. */
    rate: { type: 'string' },
  },
});
const MINUTES = Number(values.minutes);
const SHARE = Number(values.share);
const KEPT = 5_000;
const CONVERSATIONS = 500;
const FAST = 20;
const CALIBRATIONS = 3;
const CALIBRATION_MS = Math.min(10_000, MINUTES * 6_000);
const SAMPLE_MS = 10_000 * Math.min(1, MINUTES);
const TICK_MS = 20;
/** The retry policy ends a delivery about 140 s after its first failure; slow endpoints have queues in addition. */
const DRAIN_MS = 300_000;
const FLAT = 0.1;
/** Events per second of misbehaving endpoints: no more than their slots can handle, or their queues would grow without bound. */
const faults: Readonly<Record<string, number>> = {
  slow: 0.5,
  hang: 0.1,
  flapping: 2,
  failing: 2,
  broken: 1,
  refusing: 1,
  resetting: 2,
  dead: 1,
};
const TEXT = 'x'.repeat(900);

const problems: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => problems.push(`${event}: ${error instanceof Error ? error.stack : String(error)}`));
}

const receiver = fork(join(import.meta.dirname, 'soak-receiver.js'));
const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
const folder = mkdtempSync(join(tmpdir(), 'posthorn-soak-'));
const platform = createPlatform({ dataDir: folder, plugins: [], privateTargets: 'allow', deliveries: { kept: KEPT } });
await platform.start();

const counts = { accepted: 0, refused: 0, delivered: 0, cancelled: 0, dropped: 0, retries: 0 };
const outcomes = new Map<string, number>();
const latency = createHistogram();
const loop = monitorEventLoopDelay({ resolution: 10 });
platform.listen(({ name, data }) => {
  if (name === 'delivery.attempted') counts.retries += (data as { attempt: { n: number } }).attempt.n > 0 ? 1 : 0;
  if (name === 'delivery.settled') settled((data as { delivery: DeliveryRecord }).delivery);
});

function settled({ state, reason, webhook, attempts, created_at, settled_at }: DeliveryRecord): void {
  counts[state as 'delivered' | 'cancelled' | 'dropped']++;
  const manner = mannerOf.get(webhook)!;
  const outcome = `${manner}: ${state}${reason === undefined ? '' : ` (${reason})`}`;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (manner === 'fast' && state === 'delivered') latency.record(Math.max(1, Date.parse(settled_at!) - Date.parse(created_at)));
  if (state === 'dropped' && !((reason === 'exhausted' && attempts === 6) || reason === 'expired'))
    problems.push(`dropped after ${attempts} attempts because of ${reason}`);
  if (state === 'cancelled' && manner !== 'refusing') problems.push(`cancelled at a ${manner} endpoint because of ${reason}`);
  if (manner === 'fast' && state !== 'delivered') problems.push(`${state} at a fast endpoint because of ${reason}`);
}

const mannerOf = new Map<string, string>();
const hooks = new Map<string, WebhookRecord[]>();
await platform.store.transaction((tx) => {
  const { uuid } = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Soak' });
  for (const [manner, endpoints] of [['fast', FAST], ...Object.keys(faults).map((name) => [name, 1] as const)] as const) {
    const made = Array.from({ length: endpoints }, (_, n) => {
      // No server listens on port 9.
      const url = manner === 'dead' ? 'http://127.0.0.1:9/' : `http://127.0.0.1:${port}/${manner}/${n}`;
      return platform.webhooks.create(tx, { number: uuid, url, name: `${manner} ${n}`, subscriptions: ['network'] }).webhook;
    });
    hooks.set(manner, made);
  }
});
for (const [manner, made] of hooks) for (const { uuid } of made) mannerOf.set(uuid, manner);

let n = 0;
async function post(manner: string): Promise<void> {
  const own = n++;
  const among = hooks.get(manner)!;
  try {
    await platform.store.transaction((tx) =>
      platform.deliveries.post(tx, {
        event: `event-${own}`,
        webhook: among[own % among.length]!,
        kind: 'network',
        conversation: `conversation-${own % CONVERSATIONS}`,
        body: { n: own, text: TEXT },
      }),
    );
    counts.accepted++;
  } catch (error) {
    counts.refused++;
    problems.push(`an event was refused: ${error instanceof Error ? error.message : error}`);
  }
}

const over = (): number => counts.delivered + counts.cancelled + counts.dropped;
const pending = (): number => counts.accepted - over();

/** Maximum deliveries per second: the minimum of several measurements, as other processes use this machine, too. */
async function capacity(): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < CALIBRATIONS; round++) {
    const [before, began] = [over(), performance.now()];
    const until = began + CALIBRATION_MS;
    const posters = Array.from({ length: 64 }, async () => {
      while (performance.now() < until) await post('fast');
    });
    await Promise.all(posters);
    while (pending() > 0) await sleep(5);
    measured.push((over() - before) / ((performance.now() - began) / 1000));
  }
  console.log(`capacity: ${measured.map((one) => one.toFixed(0)).join(', ')} deliveries/s`);
  return Math.min(...measured);
}

/** Posts at a steady rate for a time, regardless of the outcomes. */
async function postSteadily(perSecond: number, ms: number): Promise<void> {
  const began = performance.now();
  const due = Object.entries(faults).map(([manner, rate]) => ({ manner, rate, posted: 0 }));
  const faulty = due.reduce((sum, { rate }) => sum + rate, 0);
  const all = [...due, { manner: 'fast', rate: Math.max(1, perSecond - faulty), posted: 0 }];
  for (let elapsed = 0; elapsed < ms; elapsed = performance.now() - began) {
    for (const line of all) {
      while (line.posted < (line.rate * elapsed) / 1000) {
        line.posted++;
        void post(line.manner);
      }
    }
    await sleep(TICK_MS);
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const MEBIBYTE = 2 ** 20;
const series: { seconds: number; live: number; rss: number; pending: number }[] = [];
const began = performance.now();
function sample(): void {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const seconds = (performance.now() - began) / 1000;
  series.push({ seconds, live: (heapUsed + external) / MEBIBYTE, rss: rss / MEBIBYTE, pending: pending() });
  const last = series.at(-1)!;
  const line = [`${seconds.toFixed(0)} s`, `accepted ${counts.accepted}`, `delivered ${counts.delivered}`, `dropped ${counts.dropped}`];
  line.push(`cancelled ${counts.cancelled}`, `pending ${pending()}`, `retries ${counts.retries}`, `live ${last.live.toFixed(1)} MiB`);
  line.push(`rss ${last.rss.toFixed(0)} MiB`, `p99 ${latency.percentile(99)} ms`, `loop p99 ${(loop.percentile(99) / 1e6).toFixed(0)} ms`);
  console.log(`${line.join('  ')}  load ${loadavg()[0]!.toFixed(1)}`);
  latency.reset();
  loop.reset();
}

const measured = values.rate === undefined ? await capacity() : Number(values.rate) / SHARE;
const rate = measured * SHARE;
console.log(`posting ${rate.toFixed(0)} events/s, ${SHARE * 100} % of ${measured.toFixed(0)}, for ${MINUTES} minutes`);
loop.enable();
const sampling = setInterval(sample, SAMPLE_MS);
await postSteadily(rate, MINUTES * 60_000);
const postedUntil = (performance.now() - began) / 1000;
const drainUntil = performance.now() + DRAIN_MS;
while (pending() > 0 && performance.now() < drainUntil) await sleep(100);
clearInterval(sampling);
sample();

receiver.send('how many?');
const [{ accepted, duplicates }] = (await once(receiver, 'message')) as [{ accepted: number; duplicates: number }];
await platform.stop();
rmSync(folder, { recursive: true });
receiver.disconnect();

// After a quarter of the time, histories and caches have reached their limits.
const steady = series.filter(({ seconds }) => seconds > postedUntil / 4 && seconds <= postedUntil);
const third = Math.ceil(steady.length / 3);
function growth(of: (one: (typeof series)[number]) => number): number {
  return median(steady.slice(-third).map(of)) / median(steady.slice(0, third).map(of)) - 1;
}
const grown = { live: growth(({ live }) => live), rss: growth(({ rss }) => rss) };

console.log('\noutcomes:');
for (const [outcome, count] of [...outcomes].sort()) console.log(`  ${outcome.padEnd(40)} ${count}`);
/** In less than half a minute, histories and caches do not reach their limits. */
const isLong = MINUTES >= 0.5;
if (!isLong) console.log('memory is not checked: the run is shorter than 30 s');
const checks: [what: string, holds: boolean][] = [
  [
    `live memory after a collection grew by ${(grown.live * 100).toFixed(1)} % from the first third to the last, at most 10 %`,
    !isLong || grown.live <= FLAT,
  ],
  [`resident memory grew by ${(grown.rss * 100).toFixed(1)} %, at most 10 %`, !isLong || grown.rss <= FLAT],
  [
    `accepted ${counts.accepted} = delivered ${counts.delivered} + cancelled ${counts.cancelled} + dropped ${counts.dropped}`,
    pending() === 0,
  ],
  [`the receiver accepted ${accepted} = delivered ${counts.delivered}`, accepted === counts.delivered],
  [`the receiver got ${duplicates} duplicates`, duplicates === 0],
  [`${counts.refused} events were refused`, counts.refused === 0],
  [`${problems.length} other problems, including unhandled rejections`, problems.length === 0],
];
for (const [what, holds] of checks) console.log(`${holds ? 'ok    ' : 'NOT OK'} ${what}`);
for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
process.exitCode = checks.every(([, holds]) => holds) ? 0 : 1;
