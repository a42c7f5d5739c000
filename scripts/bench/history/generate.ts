// Makes a data folder with many messages as parts, from those that a platform really received: node generate.js <folder> <messages> <conversations>
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { nodeFileSystem as fs } from '../../../core/adapters/file-system.js';
import { openSnapshot } from '../../../core/adapters/store/files/snapshot-file.js';
import type { StoredRow } from '../../../core/adapters/store/files/stored-row.js';
import { placingsOf } from '../../../core/adapters/store/moved-folder.js';
import { SnapshotWriter } from '../../../core/adapters/store/snapshot-writer.js';
import { settledDeliveries, settledId } from '../../../core/delivery/settled-delivery.js';
import { contacts } from '../../../core/messaging/contact.js';
import { conversations } from '../../../core/messaging/conversation.js';
import { type MessageRecord, messages } from '../../../core/messaging/message.js';
import type { TenantType, TenantTypes } from '../../../core/ports/tenant.js';
import { addressOf, conversationOf, externalOf, openPlatform, TEMPLATE_CONTACT, TEMPLATE_ID, TEXT } from './platform.js';

const [folder, messageCount, conversationCount] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const began = performance.now();
const FIRST_MS = Date.UTC(2024, 0, 1);
const A_MESSAGE_MS = 50;

const opened = await openPlatform(folder);
const { number } = await opened.create();
await opened.receive(number, { id: TEMPLATE_ID, from: TEMPLATE_CONTACT, text: TEXT });
await opened.reply(number, TEMPLATE_CONTACT);
await opened.settled();
const templates = {
  contacts: await opened.documents(contacts),
  conversations: await opened.documents(conversations),
  messages: await opened.documents(messages),
  deliveries: await opened.documents(settledDeliveries),
};
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

/** JSON of a document that the platform made, with other values in the place of some. */
class Template {
  readonly #texts: string[];
  readonly #names: string[];

  /** @param values the values to replace, by the name of what takes their place */
  constructor(json: string, values: Readonly<Record<string, string>>) {
    const names = Object.keys(values).sort((a, b) => values[b]!.length - values[a]!.length);
    const pattern = new RegExp(names.map((name) => values[name]!.replace(/[^\w-]/g, '\\$&')).join('|'), 'g');
    const nameOf = new Map(names.map((name) => [values[name]!, name]));
    this.#texts = json.split(pattern);
    this.#names = Array.from(json.matchAll(pattern), ([found]) => nameOf.get(found)!);
  }

  of(values: Readonly<Record<string, string>>): string {
    let json = this.#texts[0]!;
    for (const [n, name] of this.#names.entries()) json += values[name] + this.#texts[n + 1]!;
    return json;
  }
}

/** A message and its delivery, inbound or outbound. */
interface Pair {
  readonly message: Template;
  readonly delivery: Template;
  /** The body of the delivery, if it is stored without the content of the message. */
  readonly body: Template | undefined;
}

const pairs = ['inbound', 'outbound'].map((direction): Pair => {
  const message = templates.messages.find((message) => message.direction === direction)!;
  const delivery = templates.deliveries.find((delivery) => delivery.message === message.uuid)!;
  const of = delivery.content?.of_message;
  const values = {
    message: String(message.uuid),
    conversation: String(message.conversation),
    contact: String(message.contact),
    external: String(message.external_id),
    address: TEMPLATE_CONTACT,
    position: `"position":${message.position}`,
    recordedAt: String(message.recorded_at),
    timestamp: String(message.timestamp),
    delivery: String(delivery.uuid),
    id: String(delivery.id),
    seq: `"seq":${delivery.seq}`,
    createdAt: String(delivery.created_at),
    settledAt: String(delivery.settled_at),
    startedAt: Object.values(delivery.tries!)[0]!.started_at,
    ...(of && { crc32: `"crc32":${of.crc32}` }),
  };
  const content = JSON.stringify((message as MessageRecord).content).slice(1, -1);
  return {
    message: new Template(JSON.stringify(message), values),
    delivery: new Template(JSON.stringify(delivery), values),
    body: of && new Template(of.before + content + of.after, values),
  };
});

/** The values of a message and its delivery. */
function valuesOf(n: number): Readonly<Record<string, string>> {
  const of = conversationOf(n, conversationCount);
  const [at, settledAt] = [isoAt(timeOf(n)), isoAt(timeOf(n) + 20)];
  return {
    message: messageIds[n]!,
    conversation: conversationIds[of]!,
    contact: contactIds[of]!,
    external: n % 2 === 0 ? `wamid.${randomUUID()}` : externalOf(n),
    address: addressOf(of),
    position: `"position":${Math.floor(n / conversationCount) + 1}`,
    timestamp: String(Math.floor(timeOf(n) / 1000)),
    delivery: idAt(timeOf(n)),
    id: settledId(n + 1, number.uuid),
    seq: `"seq":${n + 1}`,
    ...{ recordedAt: at, createdAt: at, startedAt: at, settledAt },
  };
}

await write('core.contacts', conversationCount, (n) => {
  const [id, time] = [addressOf(n), isoAt(timeOf(n))];
  return JSON.stringify({ ...templates.contacts[0], uuid: contactIds[n]!, id, address: id, created_at: time, updated_at: time });
});
await write('core.conversations', conversationCount, (n) =>
  JSON.stringify({
    ...templates.conversations[0],
    uuid: conversationIds[n]!,
    contact: contactIds[n]!,
    owner: addressOf(n),
    unread: perConversation / 2,
    length: perConversation,
    created_at: isoAt(timeOf(n)),
    updated_at: isoAt(timeOf(messageCount - conversationCount + n)),
  }),
);
await write('core.messages', messageCount, (n) => {
  messageIds.push(idAt(timeOf(n)));
  return pairs[n % 2]!.message.of(valuesOf(n));
});
await write('core.settled-deliveries', messageCount, (n) => {
  const { delivery, body } = pairs[n % 2]!;
  const values = valuesOf(n);
  return delivery.of(body ? { ...values, crc32: `"crc32":${crc32(body.of(values))}` } : values);
});
console.log(JSON.stringify({ generatedMs: performance.now() - began }));
process.exit();

/** Writes documents before those that the platform made, as a merge would. */
async function write(collection: string, count: number, jsonOf: (n: number) => string): Promise<void> {
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
  const key = types.get(collection)!.key as string;
  const keyOf = new RegExp(`"${key}":"([^"]*)"`);
  const writer = new SnapshotWriter({ fs, folder, collection, placing: placingsOf(types)[collection], partBytes: 16 << 20 }, [], 0);
  for (let n = 0; n < count; n++) {
    const json = jsonOf(n);
    const bytes = Buffer.from(json);
    writer.rows.addDocument(keyOf.exec(json)![1]!, { bytes, start: 0, end: bytes.length }, []);
    if (writer.isFull) await writer.split();
  }
  // A merge leaves at most 4 MiB in the snapshot.
  if (writer.rows.recordBytes > 4 << 20) await writer.split();
  // The places of deliveries have been given again.
  if (collection !== 'core.settled-deliveries') for (const row of own) writer.rows.add(row);
  await writer.end(snapshot.data.through);
}
