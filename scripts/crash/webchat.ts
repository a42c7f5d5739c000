import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CallRefused, webchatVisitor } from '../../plugins/webchat/testing/index.js';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';
import { startWebchatPlatform } from './webchat-process.js';

const VISITORS = 3;
const MAX_LIFE_MS = 900;
const RETRY_MS = 50;
/** Less than the limit of a visitor, 20 messages in a minute. */
const MAX_WRITTEN = 18;

/** The counts of a run. */
export interface WebchatOutcome {
  readonly rounds: number;
  /** Messages that the web chat acknowledged to visitors, those that are stored, and calls that were repeated. */
  readonly acknowledged: number;
  readonly stored: number;
  readonly repeated: number;
  /** Messages to visitors whose send was acknowledged, and those that visitors have. */
  readonly sent: number;
  readonly shown: number;
  readonly problems: readonly string[];
}

/**
 * Kills a platform with a web chat again and again, while visitors write and it sends to them. Then lets one finish, and compares what each side
 * acknowledged with what the other one has.
 */
export async function webchatRounds({ folder, rounds, seed }: { folder: string; rounds: number; seed: number }): Promise<WebchatOutcome> {
  const random = randomNumbers(seed);
  const port = await freePort();
  const first = await startWebchatPlatform({ folder, port });
  const url = `http://127.0.0.1:${port}/webchat/${first.number.uuid}`;
  const visitors = await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const visitor = webchatVisitor({ url });
      const { visitor: id } = await visitor.open();
      return { id, visitor, acknowledged: [] as string[] };
    }),
  );
  await first.server.stop();
  let [isWriting, repeated] = [true, 0];
  const writers = visitors.map(async ({ visitor, acknowledged }) => {
    for (let n = 1; isWriting && n <= MAX_WRITTEN; n++) {
      const id = randomUUID();
      // As the queue of the widget does: the same message again until the server has taken it.
      while (!(await said(visitor, `in ${n}`, id))) {
        repeated++;
        await sleep(RETRY_MS);
      }
      acknowledged.push(`in ${n}`);
      await sleep(MAX_LIFE_MS * random() * 0.4);
    }
  });
  const next = Object.fromEntries(visitors.map(({ id }) => [id, 1]));
  const sent = new Map(visitors.map(({ id }) => [id, [] as string[]]));
  const script = fileURLToPath(new URL('./webchat-process.js', import.meta.url));
  for (let round = 0; round < rounds; round++) {
    const lines = await runUntilKilled(script, [JSON.stringify({ folder, port, next })], {
      output: `${folder}.printed`,
      until: () => sleep(MAX_LIFE_MS * random()),
    });
    for (const line of lines) {
      const [word, id, n] = line.split(' ') as [string, string, string];
      if (word === 'number') continue;
      next[id] = Math.max(next[id]!, Number(n) + 1);
      if (word === 'acknowledged') sent.get(id)!.push(`out ${n}`);
    }
  }
  const last = await startWebchatPlatform({ folder, port });
  isWriting = false;
  await Promise.all(writers);
  const problems: string[] = [];
  const counts = { acknowledged: 0, stored: 0, sent: 0, shown: 0 };
  for (const { id, visitor, acknowledged } of visitors) {
    await visitor.poll();
    const texts = (direction: string) => visitor.messages().flatMap((one) => (one.direction === direction ? [one.text!.body] : []));
    const contact = await last.platform.contacts.known(last.number.uuid, id);
    const conversation = contact && (await last.platform.conversations.ofContact(last.number.uuid, contact.uuid));
    const all = conversation ? (await last.platform.conversations.newest(conversation.uuid, 100_000)).reverse() : [];
    const stored = all.filter((one) => one.direction === 'inbound').map(({ content }) => (content.text as { body: string }).body);
    if (stored.join() !== acknowledged.join()) problems.push(`${id}: acknowledged ${acknowledged.join()}, and stored ${stored.join()}`);
    const shown = texts('out');
    const missing = sent.get(id)!.filter((text) => !shown.includes(text));
    if (missing.length > 0) problems.push(`${id}: acknowledged and not shown: ${missing.join()}`);
    if (new Set(shown).size !== shown.length) problems.push(`${id}: shown twice: ${shown.join()}`);
    counts.acknowledged += acknowledged.length;
    counts.stored += stored.length;
    counts.sent += sent.get(id)!.length;
    counts.shown += shown.length;
  }
  await last.server.stop();
  return { rounds, ...counts, repeated, problems };
}

async function said(visitor: ReturnType<typeof webchatVisitor>, text: string, id: string): Promise<boolean> {
  try {
    await visitor.say(text, id);
    return true;
  } catch (error) {
    // 503 while it starts or stops; no connection while it does not run.
    if (error instanceof CallRefused && error.status < 500) throw error;
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
