import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cloudApiStandIn } from '#core/testing';
import { networkIds } from '../../plugins/cloud-api/records.js';
import { type CloudSettings, contactOf, NUMBER, SECRETS, startCloudPlatform } from './cloud-platform.js';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';

const CONTACTS = 8;
const MAX_ALIVE_MS = 1_500;
const DRAIN_MS = 120_000;
const MESSAGES = { method: 'POST', path: '/*/messages' } as const;

export interface CloudOutcome {
  rounds: number;
  kills: number;
  /** Faults of the stand-in that leave the outcome of a send unknown. */
  unknown: number;
  /** Messages that the API acknowledged. */
  acknowledged: number;
  /** Messages that the network accepted, with doubles. */
  accepted: number;
  /** Acknowledged messages that the network never got. */
  lost: number;
  /** Messages that the network accepted twice. */
  doubles: number;
  /** Doubles that the platform has noticed: messages with more than one id of the network. */
  doublesKnown: number;
  /** Messages of the network that came after a later one of their contact. */
  outOfOrder: number;
  /** Acknowledged messages that are neither delivered nor read at the end. */
  unsettled: number;
  /** Messages of contacts that are not stored, or stored twice. */
  inboundWrong: number;
  inbound: number;
  readonly problems: string[];
}

/**
 * Kills a sending process in each round while the stand-in resets connections, answers late and twice; then lets a platform finish, and
 * compares what the API acknowledged, what the network accepted and what contacts wrote.
 */
export async function cloudRounds(options: {
  readonly folder: string;
  /** Rounds, or how long to repeat them. */
  readonly rounds?: number;
  readonly durationMs?: number;
  readonly seed: number;
  readonly onRound?: (outcome: CloudOutcome) => void;
}): Promise<CloudOutcome> {
  const { folder, rounds = Number.POSITIVE_INFINITY, durationMs = Number.POSITIVE_INFINITY, seed, onRound } = options;
  const random = randomNumbers(seed);
  const switches = { closedWindow: 'open', pairBurst: 1_000_000, messagesPerSecond: 1_000_000 } as const;
  const standIn = await cloudApiStandIn({ numbers: [NUMBER], ...SECRETS, switches });
  const settings: CloudSettings = { folder, port: await freePort(), graphUrl: standIn.url };
  const first = await startCloudPlatform(settings);
  if (!(await standIn.subscribe(first.callback))) throw new Error('the webhook was not verified');
  await first.server.stop();

  const acknowledged: number[] = Array.from({ length: CONTACTS }, () => 0);
  const written: Promise<unknown>[] = [];
  const outcome: CloudOutcome = {
    ...{ rounds: 0, kills: 0, unknown: 0, acknowledged: 0, accepted: 0, lost: 0, doubles: 0, doublesKnown: 0, outOfOrder: 0, unsettled: 0 },
    ...{ inboundWrong: 0, inbound: 0, problems: [] },
  };
  const end = performance.now() + durationMs;
  while (outcome.rounds < rounds && performance.now() < end) {
    outcome.unknown += addFaults();
    // A call that fails is repeated by the stand-in, after the test if need be.
    written.push(standIn.write(contactOf(outcome.rounds % CONTACTS), `in ${outcome.inbound++}`).catch(() => undefined));
    await runProcess(settings, acknowledged, random() * MAX_ALIVE_MS);
    outcome.kills++;
    outcome.rounds++;
    standIn.rules.clear();
    onRound?.(outcome);
  }

  const last = await startCloudPlatform(settings);
  await Promise.race([Promise.all(written), sleep(DRAIN_MS, undefined, { ref: false })]);
  const total = acknowledged.reduce((sum, n) => sum + n, 0);
  const states = async () => {
    const conversations = await last.platform.conversations.list(last.uuid, CONTACTS);
    const all = await Promise.all(conversations.map(({ uuid }) => last.platform.conversations.newest(uuid, 1_000_000)));
    return all.flat();
  };
  for (const limit = performance.now() + DRAIN_MS; performance.now() < limit; await sleep(500)) {
    const all = await states();
    const isDone = all.every(({ direction, status }) => direction === 'inbound' || status === 'delivered');
    // The status of a first send may arrive only with a late retry of its webhook.
    const isReported = standIn.webhooks.every(({ attempts }) => attempts.at(-1)?.status === 200);
    if (isDone && isReported && all.filter(({ direction }) => direction === 'inbound').length >= outcome.inbound) break;
  }
  compare(await states());
  const ids = await last.platform.store.open(networkIds).list();
  outcome.doublesKnown = ids.length - new Set(ids.map(({ message }) => message)).size;
  if (outcome.doublesKnown !== outcome.doubles)
    outcome.problems.push(`doubles: ${outcome.doubles}, of which ${outcome.doublesKnown} were noticed`);
  await last.server.stop();
  await standIn.stop();
  return outcome;

  /** Some of the sends of a round fail, in ways that leave their outcome unknown or not. */
  function addFaults(): number {
    const faults = [
      { connection: 'reset' as const },
      { connection: 'reset after' as const },
      { connection: 'answer twice' as const },
      { holdMs: 200 },
      { error: 131000 },
      { respond: { status: 503, body: '<html>busy</html>' } },
    ];
    let unknown = 0;
    for (const fault of faults) {
      if (random() < 0.5) continue;
      standIn.rule({ on: MESSAGES, skip: Math.floor(random() * 20), times: 1, ...fault });
      if ('connection' in fault && fault.connection !== 'answer twice') unknown++;
    }
    return unknown;
  }

  function compare(all: Awaited<ReturnType<typeof states>>): void {
    outcome.acknowledged = total;
    outcome.accepted = standIn.sent.length;
    const times = new Map<string, number>();
    const newest = new Map<string, number>();
    for (const { body } of standIn.sent) {
      const text = (body as { text: { body: string } }).text.body;
      times.set(text, (times.get(text) ?? 0) + 1);
      if (times.get(text)! > 1) continue;
      const [contact, n] = text.split(':') as [string, string];
      if (Number(n) < (newest.get(contact) ?? 0)) outcome.outOfOrder++;
      newest.set(contact, Math.max(newest.get(contact) ?? 0, Number(n)));
    }
    for (const [contact, count] of acknowledged.entries()) {
      for (let n = 1; n <= count; n++) if (!times.has(`${contact}:${n}`)) outcome.lost++;
    }
    // By the id that we gave them: the next process posts the text of a message again whose acknowledgement was lost with its process.
    const own = standIn.sent.map(({ body }) => (body as { biz_opaque_callback_data?: string }).biz_opaque_callback_data);
    outcome.doubles = own.length - new Set(own).size;
    outcome.unsettled = all.filter(({ direction, status }) => direction === 'outbound' && status !== 'delivered').length;
    const texts = all.filter(({ direction }) => direction === 'inbound').map(({ content }) => (content.text as { body: string }).body);
    outcome.inboundWrong = outcome.inbound - new Set(texts).size + (texts.length - new Set(texts).size);
    for (const one of ['lost', 'outOfOrder', 'unsettled', 'inboundWrong'] as const) {
      if (outcome[one] !== 0) outcome.problems.push(`${one}: ${outcome[one]}`);
    }
    // A double needs a crash or a broken connection during the send, in each conversation at most one.
    const bound = outcome.kills * CONTACTS + outcome.unknown;
    if (outcome.doubles > bound) outcome.problems.push(`doubles: ${outcome.doubles}, more than ${bound}`);
  }
}

function runProcess(settings: CloudSettings, acknowledged: number[], aliveMs: number): Promise<void> {
  const script = fileURLToPath(new URL('./cloud-process.js', import.meta.url));
  const argument = JSON.stringify({ ...settings, next: acknowledged.map((n) => n + 1) });
  return runUntilKilled(script, [argument], { folder: settings.folder, acknowledged, aliveMs });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}
