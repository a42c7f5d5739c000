import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Hapi from '@hapi/hapi';
import { createPlatform, type PlatformOptions } from '#core';
import { RecordingLogger } from '#core/testing';
import { type CompactionInput, compaction } from '../../../core/adapters/store/compaction.js';
import { V8Heap } from '../../../core/adapters/v8-heap.js';
import { workerPool } from '../../../core/adapters/workers/worker-pool.js';
import type { Ports } from '../../../core/ports/ports.js';
import type { CollectionType } from '../../../core/ports/store.js';
import type { TaskType, WorkerPool } from '../../../core/ports/workers.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

/** Conversations take turns in an order that looks random, so that the messages of each are spread over all parts. */
export const conversationOf = (n: number, conversations: number): number => (n * 7_919) % conversations;
export const addressOf = (conversation: number): string => `web-${conversation}`;
/** The id under which a connector reports the status of an outbound message. */
export const externalOf = (n: number): string => `out-${n}`;

/** Makes a message of about 550 characters of JSON longer. */
export const TEXT = 'abcdefghi '.repeat(5);

/** The message from which the generator makes all others. */
export const TEMPLATE_CONTACT = 'contact-of-the-template';
export const TEMPLATE_ID = 'id-of-the-template';

export const ADMIN_KEY = 'key-of-the-bench-history';
const CONNECTOR = 'https://connector.test/';
let posted = 0;
/** Takes every delivery, without a network; the connector returns the id of each message. */
const accepts = {
  async send({ url }: { url: string }) {
    const body = Buffer.from(url === CONNECTOR ? JSON.stringify({ messages: [{ id: externalOf(posted++) }] }) : '');
    return { kind: 'response', status: 200, headers: {}, body, cut: false, elapsedMs: 1, resent: false };
  },
  stop: async () => undefined,
};

/** A number, and its token. */
export interface Numbered {
  readonly uuid: string;
  readonly token: string;
}

/** Starts a platform with a data folder, on a server that does not listen. */
export async function openPlatform(folder: string, options: Pick<PlatformOptions, 'encryptData'> = {}) {
  mkdirSync(folder, { recursive: true });
  const log = new RecordingLogger();
  const { workers, countMerges } = countedMerges(workerPool({ heap: new V8Heap(), log, onBatch: () => undefined }));
  const platform = createPlatform({
    dataDir: folder,
    plugins: [channels(), messages(), webhooks()],
    deliveries: { kept: Number.MAX_SAFE_INTEGER, keptBytes: Number.MAX_SAFE_INTEGER },
    admin: { key: ADMIN_KEY },
    rateLimits: false,
    secretKey: '0'.repeat(64),
    ...options,
    ports: { log, workers, http: accepts } as unknown as Partial<Ports>,
  });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  const began = performance.now();
  await server.initialize();
  const startMs = performance.now() - began;
  const file = join(folder, 'bench.json');

  const call = async (method: string, url: string, token: string, payload?: object) => {
    const { statusCode, result } = await server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    });
    if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${JSON.stringify(result)}`);
    return result;
  };

  return {
    platform,
    startMs,
    call,
    log,
    countMerges,
    /** Creates the number, or reads it from the folder. */
    async create(): Promise<{ number: Numbered }> {
      if (existsSync(file)) return { number: JSON.parse(readFileSync(file, 'utf8')) as Numbered };
      const number = await platform.store.transaction((tx) => {
        const about = { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' } as const;
        const { uuid } = platform.numbers.create(tx, about);
        platform.webhooks.create(tx, { number: uuid, url: 'https://receiver.test/hook', name: 'Receiver', subscriptions: ['network'] });
        platform.webhooks.create(tx, { number: uuid, url: CONNECTOR, name: 'Connector', subscriptions: ['channel'] });
        return { uuid, token: platform.tokens.issue(tx, uuid, 'bench').text };
      });
      writeFileSync(file, JSON.stringify(number));
      return { number };
    },
    receive: ({ uuid, token }: Numbered, { id, from, text }: { id: string; from: string; text: string }) =>
      call('POST', `/v1/numbers/${uuid}/messages`, token, {
        contact: { id: from, profile: { name: 'Contact' } },
        message: { id, from, timestamp: '1700000000', type: 'text', text: { body: text } },
      }),
    /** Sends a message to a contact, and receives its status. */
    async reply({ uuid, token }: Numbered, to: string): Promise<void> {
      const { contacts, conversations, deliveries, messages, numbers } = platform;
      const number = await numbers.require(uuid);
      const contact = await contacts.find(number, to);
      const conversation = await conversations.ofContact(uuid, contact!.uuid);
      const payload = { operator: { id: 'operator', name: 'Operator' }, type: 'text', text: { body: TEXT } };
      const { message } = (await call('POST', `/admin/v1/conversations/${conversation!.uuid}/messages`, ADMIN_KEY, payload)) as {
        message: { uuid: string };
      };
      await until(async () => (await deliveries.list({ message: message.uuid, state: 'delivered', limit: 1 })).length > 0);
      const { external_id: id } = (await messages.find(number, message.uuid))!;
      await call('POST', `/v1/numbers/${uuid}/statuses`, token, {
        status: { id, recipient_id: to, status: 'delivered', timestamp: '1700000000' },
      });
    },
    /** Waits until no delivery is waiting. */
    settled: () =>
      until(async () => {
        const waiting = (['queued', 'sending'] as const).map((state) => platform.deliveries.list({ state, limit: 1 }));
        return (await Promise.all(waiting)).every(({ length }) => length === 0);
      }),
    /** All documents of a collection, in the order of their keys. */
    async documents<T extends object>(type: CollectionType<T>): Promise<T[]> {
      const found: T[] = [];
      for (let page: T[] | undefined; !page || page.length > 0; found.push(...page)) {
        const last = found.at(-1);
        page = await platform.store.open(type).list({ limit: 1_000, ...(last && { after: String(last[type.key]) }) });
      }
      return found;
    },
  };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isTrue()); waited += 5) {
    if (waited > 30_000) throw new Error('a delivery has not settled');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Measures what merges write from now on, beside the journal. */
function countedMerges(pool: WorkerPool) {
  const bytes = { written: 0, journal: 0 };
  let last: Promise<unknown> = Promise.resolve();
  const sizesOf = (folder: string, isCounted: (name: string) => boolean): number =>
    readdirSync(folder)
      .filter((name) => name.startsWith('journal') && isCounted(name))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const workers: WorkerPool = {
    run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out> {
      if ((type as unknown) !== compaction) return pool.run(type, input);
      const { folder, segments } = input as CompactionInput;
      const isNewer = (name: string): boolean => !segments.includes(name);
      bytes.journal += sizesOf(folder, (name) => segments.includes(name));
      const before = writtenBytes() - sizesOf(folder, isNewer);
      const output = pool.run(type, input).then((output) => {
        bytes.written += writtenBytes() - sizesOf(folder, isNewer) - before;
        return output;
      });
      last = output;
      return output;
    },
    check: (type) => pool.check(type),
    stop: () => pool.stop(),
  };
  const countMerges = () => {
    Object.assign(bytes, { written: 0, journal: 0 });
    return { bytes, last: () => last };
  };
  return { workers, countMerges };
}

/** Bytes that this process has passed to system calls that write. */
function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
}
