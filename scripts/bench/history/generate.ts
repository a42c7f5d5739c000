// Makes a data folder with many messages as parts, from one that a platform really received: node generate.js <folder> <messages> <conversations>
import { randomUUID } from 'node:crypto';
import { nodeFileSystem as fs } from '../../../core/adapters/file-system.js';
import { openSnapshot } from '../../../core/adapters/store/files/snapshot-file.js';
import { jsonOf, type StoredRow } from '../../../core/adapters/store/files/stored-row.js';
import { placingsOf } from '../../../core/adapters/store/moved-folder.js';
import { SnapshotWriter } from '../../../core/adapters/store/snapshot-writer.js';
import { settledDeliveries } from '../../../core/delivery/settled-delivery.js';
import { contacts } from '../../../core/messaging/contact.js';
import { conversations } from '../../../core/messaging/conversation.js';
import { messages } from '../../../core/messaging/message.js';
import type { TenantType, TenantTypes } from '../../../core/ports/tenant.js';
import { addressOf, conversationOf, externalOf, openPlatform } from './platform.js';

const [folder, messageCount, conversationCount] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const began = performance.now();
const FIRST_MS = Date.UTC(2024, 0, 1);
const A_MESSAGE_MS = 50;
/** Makes a message of about 550 characters of JSON longer. */
const TEXT = 'abcdefghi '.repeat(5);

const opened = await openPlatform(folder);
const { number } = await opened.create();
await opened.receive(number, { id: 'first', from: 'template', text: TEXT });
for (let waited = 0; (await opened.platform.deliveries.list({ state: 'delivered', limit: 1 })).length === 0; waited += 10) {
  if (waited > 10_000) throw new Error('the first delivery has not settled');
  await new Promise((resolve) => setTimeout(resolve, 10));
}
await opened.platform.stop();

/** As the platform makes them: later ids sort later. */
function idAt(ms: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const isoAt = (ms: number): string => new Date(ms).toISOString();
const timeOf = (n: number): number => FIRST_MS + n * A_MESSAGE_MS;
const conversationIds = Array.from({ length: conversationCount }, (_, n) => idAt(timeOf(n)));
const contactIds = Array.from({ length: conversationCount }, (_, n) => idAt(timeOf(n)));
const messageIds: string[] = [];
const perConversation = messageCount / Math.max(1, conversationCount);

await write('core.contacts', conversationCount, (template, n) => ({
  ...template,
  uuid: contactIds[n]!,
  id: addressOf(n),
  address: addressOf(n),
  created_at: isoAt(timeOf(n)),
  updated_at: isoAt(timeOf(n)),
}));
await write('core.conversations', conversationCount, (template, n) => ({
  ...template,
  uuid: conversationIds[n]!,
  contact: contactIds[n]!,
  owner: addressOf(n),
  unread: perConversation,
  length: perConversation,
  created_at: isoAt(timeOf(n)),
  updated_at: isoAt(timeOf(messageCount - conversationCount + n)),
}));
await write('core.messages', messageCount, (template, n) => {
  const of = conversationOf(n, conversationCount);
  messageIds.push(idAt(timeOf(n)));
  const fields = {
    ...template,
    uuid: messageIds[n]!,
    conversation: conversationIds[of]!,
    contact: contactIds[of]!,
    position: Math.floor(n / conversationCount) + 1,
    timestamp: String(Math.floor(timeOf(n) / 1000)),
    recorded_at: isoAt(timeOf(n)),
  };
  const id = `wamid.${randomUUID()}`;
  if (n % 2 === 0) return { ...fields, external_id: id, from: addressOf(of) };
  const status = { status: 'delivered', timestamp: fields.timestamp };
  const outbound = { direction: 'outbound', external_id: externalOf(n), to: addressOf(of), author: { type: 'SYSTEM', id: '', name: '' } };
  return { ...fields, ...outbound, statuses: [status], status: 'delivered', status_timestamp: fields.timestamp };
});
await write('core.settled-deliveries', messageCount, (template, n) => ({
  ...template,
  id: `${String(n + 1).padStart(12, '0')}/${template.number}`,
  seq: n + 1,
  uuid: idAt(timeOf(n)),
  event: `message:${messageIds[n]!}`,
  message: messageIds[n]!,
  conversation: conversationIds[conversationOf(n, conversationCount)]!,
  created_at: isoAt(timeOf(n)),
  settled_at: isoAt(timeOf(n) + 20),
}));
console.log(JSON.stringify({ generatedMs: performance.now() - began }));
process.exit();

type Document = Readonly<Record<string, unknown>>;

/** Writes documents before those that the platform made, as a merge would. */
async function write(collection: string, count: number, documentOf: (template: Document, n: number) => Document): Promise<void> {
  if (count === 0) return;
  const types: TenantTypes = new Map<string, TenantType>([
    ['core.contacts', contacts],
    ['core.conversations', conversations],
    ['core.messages', messages],
    ['core.settled-deliveries', settledDeliveries],
  ]);
  const snapshot = openSnapshot(fs, folder, collection);
  await snapshot.read();
  const own: StoredRow[] = [];
  for await (const batch of snapshot.data.rows) own.push(...batch);
  const template = JSON.parse(jsonOf(own[0]!)) as Document;
  const key = types.get(collection)!.key as string;
  const writer = new SnapshotWriter({ fs, folder, collection, placing: placingsOf(types)[collection], partBytes: 16 << 20 }, [], 0);
  for (let n = 0; n < count; n++) {
    const document = documentOf(template, n);
    const bytes = Buffer.from(JSON.stringify(document));
    writer.rows.addDocument(document[key] as string, { bytes, start: 0, end: bytes.length }, []);
    if (writer.isFull) await writer.split();
  }
  // A merge leaves at most 4 MiB in the snapshot.
  if (writer.rows.recordBytes > 4 << 20) await writer.split();
  // The places of deliveries have been given again.
  if (collection !== 'core.settled-deliveries') for (const row of own) writer.rows.add(row);
  await writer.end(snapshot.data.through);
}
