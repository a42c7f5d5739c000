// Serves a generated data folder, and prints what it takes: node --expose-gc serve.js <folder> <conversations>
// With `start` as the third argument, only starts; with `flood`, receives as fast as it can.
import { randomInt, randomUUID } from 'node:crypto';
import { ADMIN_KEY, addressOf, conversationOf, externalOf, openPlatform, TEXT } from './platform.js';

/** Times in milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p99: number;
}

/** Figures of a platform with a folder; sizes in bytes. */
export interface Served {
  readonly startMs: number;
  readonly startRss: number;
  readonly startHeap: number;
  readonly endRss: number;
  readonly peakRss: number;
  readonly page: Spread;
  readonly status: Spread;
  readonly revived: Spread;
  /** The next message of the same contact. */
  readonly next: Spread;
  /** A page of 50 deliveries before a random old one. */
  readonly deliveries: Spread;
  /** A random old delivery, with its body and attempts. */
  readonly delivery: Spread;
}

/** Figures of a platform that receives as many messages as it can. */
export interface Flooded {
  readonly inboundPerSecond: number;
  /** Bytes that merges wrote meanwhile, and of the journal that they merged. */
  readonly merges: { readonly written: number; readonly journal: number };
}

const [folder, conversationCount] = [process.argv[2]!, Number(process.argv[3])];
const CALLS = 500;
const WARM_UP = 100;
const FLOOD = 30_000;
/** The load under which memory is measured. */
const PER_SECOND = 200;
const LOADED_SECONDS = 60;
const AT_ONCE = 32;

const opened = await openPlatform(folder);
const { number } = await opened.create();
await settle();
const startRss = process.memoryUsage.rss();
const startHeap = heapBytes();
if (process.argv[4] === 'start') {
  console.log(JSON.stringify({ startHeap }));
  process.exit();
}
if (process.argv[4] === 'flood') {
  const merges = opened.countMerges();
  const began = performance.now();
  await receive(FLOOD, 0);
  const inboundPerSecond = FLOOD / ((performance.now() - began) / 1000);
  await merges.last();
  console.log(JSON.stringify({ inboundPerSecond, merges: merges.bytes } satisfies Flooded));
  process.exit();
}
const messageCount = conversationCount * 20;

// Without a history, the calls are about what the platform has just received.
const own: string[] = [];
for (let n = 0; n < 200; n++) await opened.receive(number, { id: `own-${n}`, from: `own-${n % 10}`, text: TEXT });
const listed = (await opened.call('GET', `/admin/v1/numbers/${number.uuid}/conversations?limit=20`, ADMIN_KEY)) as {
  conversations: { uuid: string }[];
};
own.push(...listed.conversations.map(({ uuid }) => uuid));

const pageOf = async () => {
  const uuid = conversationCount === 0 ? own[randomInt(own.length)]! : await randomConversation();
  return () => opened.call('GET', `/admin/v1/conversations/${uuid}?limit=50`, ADMIN_KEY);
};
// V8 compiles what runs often.
await spreadOf(WARM_UP, pageOf);
const page = await spreadOf(CALLS, pageOf);
const status = await spreadOf(conversationCount === 0 ? 0 : CALLS, async () => {
  const n = 2 * randomInt(messageCount / 2) + 1;
  const recipient = addressOf(conversationOf(n, conversationCount));
  const status = { id: externalOf(n), recipient_id: recipient, status: 'read', timestamp: '1800000000' };
  return () => opened.call('POST', `/v1/numbers/${number.uuid}/statuses`, number.token, { status });
});
const inUse: string[] = [];
const revived = await spreadOf(CALLS, async () => {
  const from = conversationCount === 0 ? `own-${randomInt(10)}` : `web-${randomInt(conversationCount)}`;
  inUse.push(from);
  return () => opened.receive(number, { id: randomUUID(), from, text: TEXT });
});

const next = await spreadOf(CALLS, async () => {
  const from = inUse.pop()!;
  return () => opened.receive(number, { id: randomUUID(), from, text: TEXT });
});

const someDelivery = async (): Promise<string> => {
  const message = conversationCount === 0 ? own[randomInt(own.length)]! : await randomConversation();
  const [one] = await opened.platform.conversations.newest(message, 1);
  const [delivery] = await opened.platform.deliveries.list({ message: one!.uuid, limit: 1 });
  return delivery!.uuid;
};
const deliveries = await spreadOf(CALLS, async () => {
  const after = await someDelivery();
  return () => opened.call('GET', `/admin/v1/deliveries?limit=50&after=${after}`, ADMIN_KEY);
});
const delivery = await spreadOf(CALLS, async () => {
  const uuid = await someDelivery();
  return () => opened.call('GET', `/admin/v1/deliveries/${uuid}`, ADMIN_KEY);
});

await receive(LOADED_SECONDS * PER_SECOND, 1_000 / PER_SECOND);
await settle();
const served: Served = {
  startMs: opened.startMs,
  startRss,
  startHeap,
  endRss: process.memoryUsage.rss(),
  peakRss: process.resourceUsage().maxRSS * 1024,
  page,
  status,
  revived,
  next,
  deliveries,
  delivery,
};
console.log(JSON.stringify(served));
process.exit();

/** Receives messages of new contacts. @param everyMs 0 for as fast as possible */
async function receive(count: number, everyMs: number): Promise<void> {
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = next++; n < count; n = next++) {
        const waitMs = began + n * everyMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        await opened.receive(number, { id: randomUUID(), from: `new-${n % 1_000}`, text: TEXT });
      }
    }),
  );
}

async function randomConversation(): Promise<string> {
  const contact = await opened.platform.contacts.find(
    await opened.platform.numbers.require(number.uuid),
    `web-${randomInt(conversationCount)}`,
  );
  return (await opened.platform.conversations.ofContact(number.uuid, contact!.uuid))!.uuid;
}

async function spreadOf(count: number, prepare: () => Promise<() => Promise<unknown>>): Promise<Spread> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const call = await prepare();
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(count / 2)] ?? 0, p99: times[Math.floor(count * 0.99)] ?? 0 };
}

async function settle(): Promise<void> {
  globalThis.gc!();
  await new Promise((resolve) => setTimeout(resolve, 100));
  globalThis.gc!();
}

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
