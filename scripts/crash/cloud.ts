import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { remoteIds } from '../../core/messaging/remote-id.js';
import { pendingSends } from '../../plugins/cloud-api/records.js';
import { freePort } from '../free-port.js';
import { type Balance, type Books, balance } from './cloud-balance.js';
import { CONTACTS, FAULTS, type FaultName } from './cloud-faults.js';
import { type Call, CloudNetwork, type Place, places } from './cloud-network.js';
import { type CloudSettings, startCloudPlatform } from './cloud-platform.js';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';

const DRAIN_MS = 180_000;
const POLL_MS = 250;
/** Sends of a process before it is killed, besides those with faults. */
const MIN_SENDS = 5;

export interface CloudOutcome {
  rounds: number;
  /** Kills by the place that they were aimed at. */
  readonly aimed: Record<Place, number>;
  /** Kills that hit at least one message at the place. */
  readonly kills: Record<Place, number>;
  /** The messages that they hit. */
  readonly hit: Record<Place, number>;
  /** Sends that each fault of the stand-in hit. */
  readonly fired: Readonly<Record<FaultName, number>>;
  readonly counts: Balance;
  readonly problems: string[];
}

export interface CloudRun {
  readonly folder: string;
  /** Rounds, or how long to repeat them. */
  readonly rounds?: number;
  readonly durationMs?: number;
  /** Greatest number of sends of a round. */
  readonly sends: number;
  readonly unknownSeconds: number;
  /** With `fail`, no message may be sent twice. */
  readonly unknownOutcome?: 'resend' | 'fail';
  readonly seed: number;
  readonly onRound?: (done: { readonly rounds: number; readonly offered: number; readonly accepted: number }) => void;
}

/**
 * Kills a sending process in each round, at each of the places in turn, while the stand-in breaks sends by each of its faults and contacts
 * write; then lets a platform finish, and balances the books.
 */
export async function cloudRounds(options: CloudRun): Promise<CloudOutcome> {
  const {
    folder,
    rounds = Number.POSITIVE_INFINITY,
    durationMs = Number.POSITIVE_INFINITY,
    unknownSeconds,
    unknownOutcome = 'resend',
    onRound,
  } = options;
  const random = randomNumbers(options.seed);
  const network = new CloudNetwork({ random, unknownSeconds });
  await network.start();
  const { standIn, calls, fired } = network;
  const settings: CloudSettings = { folder, port: await freePort(), graphUrl: standIn.url, unknownSeconds, unknownOutcome };
  const first = await startCloudPlatform(settings);
  if (!(await standIn.subscribe(first.callback))) throw new Error('the webhook was not verified');
  await first.server.stop();

  const books: Books = { offered: new Set(), acknowledged: new Set(), refused: new Set() };
  const [aimed, kills, hit] = [noneByPlace(), noneByPlace(), noneByPlace()];
  const next: number[] = Array.from({ length: CONTACTS }, () => 1);
  const answeredBefore = new Set<Call>();
  const end = performance.now() + durationMs;
  let done = 0;
  for (; done < rounds && performance.now() < end; done++) {
    const place = places[done % places.length]!;
    const sends = MIN_SENDS + Math.floor(random() * options.sends);
    network.nextProcess(shuffled(Object.keys(FAULTS) as FaultName[]), Math.max(1, Math.floor(sends / Object.keys(FAULTS).length)));
    if (await runProcess(place, sends)) aimed[place]++;
    onRound?.({ rounds: done + 1, offered: books.offered.size, accepted: standIn.sent.length });
  }
  network.nextProcess([]);
  const last = await startCloudPlatform(settings, countAnswered);
  const remaining = await drain();
  const { counts, problems } = await balance(books, network, {
    stored: await storedMessages(),
    ids: await last.platform.store.open(remoteIds).list(),
    isTimedOut,
    unknownOutcome,
  });
  await last.server.stop();
  await standIn.stop();
  return { rounds: done, aimed, kills, hit, fired, counts, problems: remaining ? [remaining, ...problems] : problems };

  /** Runs a process until it is at the place, and enters what it printed. @returns whether it was there in time */
  async function runProcess(place: Place, sends: number): Promise<boolean> {
    const script = fileURLToPath(new URL('./cloud-process.js', import.meta.url));
    let killedAt = Number.POSITIVE_INFINITY;
    let isReached = false;
    const lines = await runUntilKilled(script, [JSON.stringify({ ...settings, next })], {
      output: `${folder}.printed`,
      async until({ kill, onError }) {
        onError(() => network.acknowledged());
        isReached = await network.reach(place, sends, () => {
          killedAt = performance.now();
          kill();
        });
        killedAt = Math.min(killedAt, performance.now());
      },
    });
    // The callback cannot be reached until the next process has started.
    network.write();
    const acknowledged: string[] = [];
    const pending: string[] = [];
    for (const line of lines) {
      const [word, text] = line.split(' ') as [string, string];
      if (word === 'offered') {
        books.offered.add(text);
        const [contact, n] = text.split(':').map(Number) as [number, number];
        next[contact] = n + 1;
      } else if (word === 'refused') books.refused.add(text);
      else if (word === 'pending') pending.push(text);
      else acknowledged.push(text);
    }
    for (const text of acknowledged) books.acknowledged.add(text);
    countAnswered(pending);
    const known = new Set(calls.map(({ text }) => text));
    count('before the send', acknowledged.filter((text) => !known.has(text)).length);
    const own = calls.filter((call) => call.process === done);
    const isAnswered = ({ answeredAt }: Call): boolean => answeredAt !== undefined && answeredAt <= killedAt;
    count('before the answer', own.filter((call) => !isAnswered(call) && !call.fault?.startsWith('reset')).length);
    for (const call of own) if (call.isAccepted && isAnswered(call)) answeredBefore.add(call);
    return isReached;
  }

  /** Counts messages that the network had accepted with an answer, and that were still pending when the next process started. */
  function countAnswered(pending: readonly string[]): void {
    const texts = new Set(pending);
    count('after the answer', [...answeredBefore].filter(({ text, process }) => process === done - 1 && texts.has(text)).length);
    answeredBefore.clear();
  }

  function count(place: Place, messages: number): void {
    if (messages > 0) kills[place]++;
    hit[place] += messages;
  }

  /** Waits until everything has arrived. @returns what has not */
  async function drain(): Promise<string | undefined> {
    let missing = '';
    for (const limit = performance.now() + DRAIN_MS; performance.now() < limit; await sleep(POLL_MS)) {
      missing = await missingNow();
      if (missing === '') return undefined;
    }
    return `after ${DRAIN_MS / 1_000} s: ${missing}`;
  }

  async function missingNow(): Promise<string> {
    const pending = await last.platform.store.open(pendingSends).list();
    if (pending.length > 0) return `${pending.length} messages are pending`;
    const unreported = standIn.sent.filter(({ statuses }) => !statuses.includes('delivered') && !statuses.includes('failed'));
    if (unreported.length > 0) return `${unreported.length} messages have no status`;
    const unacknowledged = standIn.webhooks.filter(({ isAcknowledged }) => !isAcknowledged);
    // After some failures, the retries of the stand-in are minutes apart.
    for (const webhook of unacknowledged) await standIn.resend(webhook);
    if (unacknowledged.length > 0) return `${unacknowledged.length} webhooks are not acknowledged`;
    const stored = await storedMessages();
    const unsettled = stored.filter(({ direction, status }) => direction === 'outbound' && status !== 'delivered' && status !== 'failed');
    if (unsettled.length > 0) return `${unsettled.length} messages are not settled`;
    const inbound = stored.filter(({ direction }) => direction === 'inbound').length;
    return inbound < network.written.length ? `${network.written.length - inbound} messages of contacts are not stored` : '';
  }

  async function storedMessages() {
    const conversations = await last.platform.conversations.list(last.uuid, CONTACTS);
    return (await Promise.all(conversations.map(({ uuid }) => last.platform.conversations.newest(uuid, 1_000_000)))).flat();
  }

  async function isTimedOut(message: string): Promise<boolean> {
    const deliveries = await last.platform.deliveries.list({ message, limit: 10 });
    const shown = await Promise.all(deliveries.map(({ uuid }) => last.platform.deliveries.show(uuid)));
    return shown.some(({ attempts }) => attempts.some(({ error }) => error?.includes('no response in time')));
  }

  function shuffled<T>(items: T[]): T[] {
    return items
      .map((item) => [random(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  }
}

const noneByPlace = (): Record<Place, number> => Object.fromEntries(places.map((place) => [place, 0])) as Record<Place, number>;
