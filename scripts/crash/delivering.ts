import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPlatform, type Platform, type WebhookRecord } from '#core';
import type { Logger } from '#core/ports';
import { RecordingLogger } from '#core/testing';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';

const CONVERSATIONS = 12;
const MAX_ALIVE_MS = 400;
const MAX_ANSWER_MS = 20;
const DRAIN_MS = 60_000;
/** More than a run creates: an evicted delivery could not be compared. */
const KEPT = 1_000_000;

export interface DeliveryOutcome {
  acknowledged: number;
  received: number;
  /** Acknowledged deliveries that the endpoint never got. */
  lost: number;
  /** Deliveries whose first request came after that of a later one of their conversation, although their first attempt was delivered. */
  outOfOrder: number;
  /** Requests that repeat another. */
  repeated: number;
  /** Repeated requests without such a record: the process was killed after the request, and before the start was written. */
  unrecorded: number;
  /** Deliveries that are not delivered after the last restart. */
  unsettled: number;
  readonly problems: string[];
}

export async function startDelivering(dataDir: string, log: Logger): Promise<Platform> {
  const platform = createPlatform({ dataDir, plugins: [], privateTargets: 'allow', deliveries: { kept: KEPT }, ports: { log } });
  await platform.start();
  return platform;
}

/** The webhook of the folder; created by the first process. */
export async function postTo(platform: Platform, url: string): Promise<WebhookRecord> {
  const [known] = await platform.deliveries.list({ limit: 1 });
  if (known) return (await platform.webhooks.get(known.webhook))!;
  return platform.store.transaction((tx) => {
    const { uuid } = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Crash' });
    return platform.webhooks.create(tx, { number: uuid, url, name: 'Crash', subscriptions: ['network'] }).webhook;
  });
}

/** Kills a delivering process in each round; then lets one deliver the rest, and compares what the endpoint got. */
export async function deliveryRounds(options: {
  readonly folder: string;
  readonly rounds: number;
  readonly seed: number;
}): Promise<DeliveryOutcome> {
  const { folder, rounds, seed } = options;
  const random = randomNumbers(seed);
  const received: string[] = [];
  const endpoint = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { conversation, n } = JSON.parse(Buffer.concat(parts).toString()) as { conversation: number; n: number };
      received.push(`${conversation}:${n}`);
      setTimeout(() => response.end(), random() * MAX_ANSWER_MS);
    });
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`;
  const acknowledged: number[] = Array.from({ length: CONVERSATIONS }, () => 0);
  for (let round = 0; round < rounds; round++) await runDeliverer(folder, url, acknowledged, random() * MAX_ALIVE_MS);

  const platform = await startDelivering(folder, new RecordingLogger());
  const all = await platform.deliveries.list({ limit: KEPT });
  const isSettled = async (uuid: string) => (await platform.deliveries.show(uuid)).delivery.state === 'delivered';
  for (const end = performance.now() + DRAIN_MS; performance.now() < end; await sleep(100)) {
    const settled = await Promise.all(all.map(({ uuid }) => isSettled(uuid)));
    if (settled.every((one) => one)) break;
  }
  const outcome: DeliveryOutcome = {
    acknowledged: acknowledged.reduce((sum, n) => sum + n, 0),
    received: received.length,
    ...{ lost: 0, outOfOrder: 0, repeated: 0, unrecorded: 0, unsettled: 0, problems: [] },
  };
  const requests = new Map<string, number>();
  for (const event of received) requests.set(event, (requests.get(event) ?? 0) + 1);
  for (const [conversation, last] of acknowledged.entries())
    for (let n = 1; n <= last; n++) if (!requests.has(`${conversation}:${n}`)) outcome.lost++;
  /** Retries are outside the order, also those after too many interruptions. */
  const inOrder = new Set<string>();
  for (const { uuid, event } of all) {
    const { delivery, attempts } = await platform.deliveries.show(uuid);
    if (delivery.state !== 'delivered') outcome.unsettled++;
    if (delivery.attempts === 1) inOrder.add(event);
    const repeated = (requests.get(event) ?? 0) - 1;
    const recorded = attempts.filter(({ result }) => result === 'interrupted').length;
    outcome.repeated += Math.max(0, repeated);
    outcome.unrecorded += Math.max(0, repeated - recorded);
  }
  const newest = new Map<string, number>();
  for (const event of new Set(received)) {
    if (!inOrder.has(event)) continue;
    const [conversation, n] = event.split(':') as [string, string];
    const before = newest.get(conversation) ?? 0;
    if (Number(n) < before) {
      outcome.outOfOrder++;
      outcome.problems.push(`${event} was received after ${conversation}:${before}`);
    }
    newest.set(conversation, Math.max(before, Number(n)));
  }
  await platform.stop();
  endpoint.closeAllConnections();
  endpoint.close();
  return outcome;
}

/** Starts a process, kills it after a time, and adds what it acknowledged. */
async function runDeliverer(folder: string, url: string, acknowledged: number[], aliveMs: number): Promise<void> {
  const script = fileURLToPath(new URL('./deliverer.js', import.meta.url));
  const next = JSON.stringify(acknowledged.map((n) => n + 1));
  const lines = await runUntilKilled(script, [folder, url, next], { output: `${folder}.acknowledged`, until: () => sleep(aliveMs) });
  for (const line of lines) {
    const [conversation, n] = line.split(' ').map(Number);
    acknowledged[conversation!] = n!;
  }
}
