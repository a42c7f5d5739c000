// A side of the benchmark of deliveries, in its own process: node side-process.js <mode> <url of the receiver> [<kept>]. Each message from the
// parent is a number of events, which this process accepts, 64 at a time; the answer says that all are accepted. Every mode stringifies
// each event again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Pool } from 'undici';
import { createPlatform } from '#core';
import { admin } from '../measuring/admin.js';
import { bareJournal } from '../measuring/bare-journal.js';
import { folderOnDisk } from '../measuring/folders.js';
import { inParallel } from '../measuring/rounds.js';
import { CONNECTIONS, sendSigned } from './sender.js';

export type Mode = 'floor' | 'serial' | 'deadline' | 'journal' | 'posthorn' | 'lane';

export interface Ready {
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Accepted {
  /** The 99th percentile of the delay of this process's event loop, until all events were accepted. */
  readonly loopP99Ms: number;
}

const AT_ONCE = 64;
const ENDPOINTS = 50;
const CONVERSATIONS = 1_000;
const DEADLINE_MS = 5_000;
const SECRET = 'x'.repeat(43);
const [, , mode, url, kept] = process.argv as unknown as [string, string, Mode, string, string?];

const folder = folderOnDisk();
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const bodyOf = (n: number) => ({ contacts: [{ profile: { name: 'Ann' }, wa_id: '27820001001' }], event: n, text: 'x'.repeat(900) });

interface Sender {
  readonly secrets: Readonly<Record<string, string>>;
  /** Resolves when the event is accepted: sent by the floors, durable in the others. */
  accept(n: number): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** With one connection, it sends one after the other. */
function floor(connections = CONNECTIONS): Sender {
  const pool = new Pool(url, { connections });
  return {
    secrets: { '/': SECRET },
    accept: (n) => sendSigned(pool, SECRET, JSON.stringify(bodyOf(n))),
    stop: () => pool.close(),
  };
}

function floorWithDeadline(): Sender {
  const pool = new Pool(url, { connections: CONNECTIONS });
  return {
    secrets: { '/': SECRET },
    async accept(n) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), DEADLINE_MS);
      await sendSigned(pool, SECRET, JSON.stringify(bodyOf(n)), abort.signal);
      clearTimeout(timer);
    },
    stop: () => pool.close(),
  };
}

/**
 * A minimal durable sender: a line in a file for each event and each finished delivery, and a queue in memory. No documents,
 * ordering, lanes or retries.
 */
async function journalAndLoop(): Promise<Sender> {
  const journal = await bareJournal(join(folder, 'lines'));
  const pool = new Pool(url, { connections: CONNECTIONS });
  const queue: { readonly n: number; readonly body: string }[] = [];
  let sending = 0;
  const next = (): void => {
    for (; sending < CONNECTIONS && queue.length > 0; sending++) {
      const { n, body } = queue.shift()!;
      void sendSigned(pool, SECRET, body)
        .then(() => void journal.append(`${JSON.stringify({ delivered: n, at: new Date() })}\n`))
        .finally(() => {
          sending--;
          next();
        });
    }
  };
  return {
    secrets: { '/': SECRET },
    async accept(n) {
      const body = JSON.stringify(bodyOf(n));
      await journal.append(`${JSON.stringify({ event: n, at: new Date(), body })}\n`);
      queue.push({ n, body });
      next();
    },
    async stop() {
      await journal.close();
      await pool.close();
    },
  };
}

/** A platform with its store on disk: the event, the start and the end of each delivery are durable. */
async function posthorn(endpoints = ENDPOINTS, conversations = CONVERSATIONS): Promise<Sender> {
  const platform = createPlatform({
    ...{ dataDir: folder, plugins: [], privateTargets: 'allow', admin },
    ...(kept !== undefined && { deliveries: { kept: Number(kept), keptBytes: Number.MAX_SAFE_INTEGER } }),
  });
  await platform.start();
  const { store, numbers, webhooks, deliveries } = platform;
  const made = await store.transaction((tx) => {
    const { uuid } = numbers.create(tx, { kind: 'network', type: 'network', address: '+2711', name: 'Office' });
    return Array.from({ length: endpoints }, (_, n) =>
      webhooks.create(tx, { number: uuid, url: `${url}/${n}`, name: `Owner ${n}`, subscriptions: ['network'] }),
    );
  });
  return {
    secrets: Object.fromEntries(made.map(({ webhook, secret }) => [new URL(webhook.url).pathname, secret])),
    accept: (n) =>
      store.transaction((tx) =>
        deliveries.post(tx, {
          event: `event-${n}`,
          webhook: made[n % endpoints]!.webhook,
          kind: 'network',
          conversation: `conversation-${n % conversations}`,
          body: bodyOf(n),
        }),
      ),
    stop: () => platform.stop(),
  };
}

const senders: Readonly<Record<Mode, () => Sender | Promise<Sender>>> = {
  floor: () => floor(),
  serial: () => floor(1),
  deadline: floorWithDeadline,
  journal: journalAndLoop,
  posthorn: () => posthorn(),
  lane: () => posthorn(1, 1),
};
const sender = await senders[mode]();
let accepted = 0;
process.on('message', async (count: number) => {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const from = accepted;
  accepted += count;
  await inParallel(count, AT_ONCE, (n) => sender.accept(from + n));
  loop.disable();
  process.send!({ loopP99Ms: loop.percentile(99) / 1e6 } satisfies Accepted);
});
process.on('disconnect', () => void sender.stop().finally(() => process.exit()));
process.send!({ secrets: sender.secrets } satisfies Ready);
