// Bench: latency of deliveries to eight fast endpoints, with and without a dead and a slow endpoint on the same platform
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPlatform, deliveryAttempted, type WebhookRecord } from '#core';
import { RecordingLogger } from '#core/testing';
import { admin } from './measuring/admin.js';
import { median, printTable } from './measuring/table.js';

const FAST = 8;
const EVENTS_A_SECOND = 40;
const SECONDS = 4;
const ROUNDS = 3;

if (process.send) {
  // The endpoints, in their own process and each with its own origin: fast ones, and those named in the arguments.
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    fast: (response) => void response.end('ok'),
    slow: (response) => void setTimeout(() => response.end('ok'), 1_500),
    dead: () => {},
  };
  const servers = [...Array<string>(FAST).fill('fast'), 'dead', 'slow'].map((kind) =>
    createServer((request, response) => {
      request.resume();
      answers[kind]!(response);
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  process.send(servers.map((server) => (server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
} else {
  const endpoints = fork(fileURLToPath(import.meta.url));
  const [ports] = (await once(endpoints, 'message')) as [number[]];
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  const measured: { alone: number[][]; among: number[][] } = { alone: [], among: [] };
  for (let round = 0; round < ROUNDS; round++) {
    measured.alone.push(await waits(ports.slice(0, FAST), join(folder, `alone-${round}`)));
    measured.among.push(await waits(ports, join(folder, `among-${round}`)));
  }
  rmSync(folder, { recursive: true });
  endpoints.disconnect();

  const p99s = (rounds: number[][]) => rounds.map((waits) => quantile(waits, 0.99));
  const alone = median(p99s(measured.alone));
  const row = (name: string, rounds: number[][]) => {
    const p50 = median(rounds.map((waits) => quantile(waits, 0.5)));
    const p99 = median(p99s(rounds));
    return [name, String(rounds[0]!.length), p50.toFixed(1), p99.toFixed(1), (p99 / alone).toFixed(2)];
  };
  printTable(
    [`ms from event to response, median of ${ROUNDS}`, 'events', 'p50', 'p99', 'ratio'],
    [row('eight fast endpoints alone', measured.alone), row('beside a dead and a slow one', measured.among)],
  );
}

/** Milliseconds from each event of the fast endpoints to its response, at a fixed rate of events per endpoint. */
async function waits(ports: readonly number[], dataDir: string): Promise<number[]> {
  const platform = createPlatform({ dataDir, plugins: [], privateTargets: 'allow', admin, ports: { log: new RecordingLogger() } });
  await platform.start();
  const webhooks = await platform.store.transaction((tx) =>
    ports.map((port): WebhookRecord => {
      const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: String(port), name: String(port) });
      const url = `http://127.0.0.1:${port}/hook`;
      return platform.webhooks.create(tx, { number: number.uuid, url, name: 'Endpoint', subscriptions: ['network'] }).webhook;
    }),
  );
  const isFast = new Set(webhooks.slice(0, FAST).map(({ uuid }) => uuid));
  const posted = new Map<string, number>();
  const took: number[] = [];
  platform.listen(({ name, data }) => {
    if (name !== deliveryAttempted.name) return;
    const { delivery } = data as { delivery: { uuid: string; webhook: string } };
    if (isFast.has(delivery.webhook)) took.push(performance.now() - posted.get(delivery.uuid)!);
  });
  const ticks = EVENTS_A_SECOND * SECONDS;
  const began = performance.now();
  for (let tick = 0; tick < ticks; tick++) {
    // Measured from the scheduled time, so that a late sender does not hide a delay (coordinated omission).
    const due = began + (tick * 1_000) / EVENTS_A_SECOND;
    await sleep(Math.max(0, due - performance.now()));
    for (const webhook of webhooks) {
      void platform.store.transaction(async (tx) => {
        const body = { n: tick, text: 'x'.repeat(1_000) };
        const { uuid } = await platform.deliveries.post(tx, { event: `${tick}`, webhook, kind: 'network', body });
        posted.set(uuid, due);
      });
    }
  }
  for (let i = 0; i < 100 && took.length < ticks * FAST; i++) await sleep(50);
  await platform.stop();
  return took;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
