import type { Contacts } from '../messaging/contacts.js';
import { observedFields } from '../messaging/conversation.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Numbers } from '../messaging/numbers.js';
import type { DataSubject, OwnedPersonalData } from '../messaging/personal-data.js';
import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import type { createErasedDeliveries } from './erased-deliveries.js';
import { mediaIn, messagesOf } from './personal-media.js';
import type { AnyDelivery } from './settled-delivery.js';
import { mergesInto, namesOf } from './subject.js';

export interface ExportParts {
  readonly store: Database;
  readonly contacts: Pick<Contacts, 'require' | 'identityOf'>;
  readonly conversations: Pick<Conversations, 'ofContact'>;
  readonly numbers: Pick<Numbers, 'require'>;
  readonly records: MessageRecords;
  readonly media: Pick<Media, 'about' | 'get'>;
  readonly personalDeliveries: ReturnType<typeof createErasedDeliveries>;
  readonly wiring: { readonly personalData: readonly OwnedPersonalData[] };
  readonly clock: Pick<Clock, 'now'>;
}

/** Writes everything that is stored about a contact as the text of one JSON object, in pieces, because it may be larger than the memory. */
export function createContactExport({
  store,
  contacts,
  conversations,
  numbers,
  records,
  media,
  personalDeliveries,
  wiring,
  clock,
}: ExportParts) {
  /** @throws NotFound before the first piece */
  return async (uuid: string, { withMedia }: { readonly withMedia: boolean }): Promise<AsyncGenerator<string>> => {
    const contact = await contacts.require(uuid);
    const number = await numbers.require(contact.number);
    const conversation = await conversations.ofContact(number.uuid, contact.uuid);
    const merges = await mergesInto({ in: (type) => store.open(type) as never }, contact.uuid);
    const identity = await contacts.identityOf(contact);
    const subject: DataSubject = {
      number,
      contacts: [contact.uuid, ...merges.map((merge) => merge.contact)],
      ids: namesOf(number, [contact, ...merges.map(({ record }) => record)], identity.ids),
      conversations: [conversation?.uuid, ...merges.map((merge) => merge.conversation)].filter((one) => one !== undefined),
    };
    return written();

    async function* written(): AsyncGenerator<string> {
      const fields = { ...contact.fields, ...observedFields(conversation) };
      const head = {
        v: 1,
        exported_at: clock.now().toISOString(),
        number: { uuid: number.uuid, address: number.address, name: number.name },
      };
      const whole = { ...head, contact: { ...contact, fields }, ...identity, merged: merges.map(({ record }) => record), conversation };
      yield JSON.stringify(whole).slice(0, -1);
      const files = new Set<string>();
      yield* listed('messages', messages(files));
      yield* listed('media', mediaFiles(files));
      yield* listed('deliveries', deliveries());
      const data: Record<string, unknown> = {};
      for (const { plugin, export: exported } of wiring.personalData) data[plugin] = await exported?.(subject);
      yield `,"plugins":${JSON.stringify(data)}}\n`;
    }

    async function* messages(files: Set<string>): AsyncGenerator<object> {
      for (const one of subject.conversations)
        for await (const message of messagesOf(records, 'conversation', one)) {
          for (const id of mediaIn(message)) files.add(id);
          yield message;
        }
    }

    async function* mediaFiles(files: ReadonlySet<string>): AsyncGenerator<object> {
      for (const id of files) {
        const about = await media.about(id);
        if (about?.number !== number.uuid) continue;
        yield withMedia ? { ...about, base64: Buffer.from((await media.get(id)).bytes).toString('base64') } : about;
      }
    }

    async function* deliveries(): AsyncGenerator<object> {
      for await (const page of personalDeliveries.all(subject)) yield* page.map(deliveryOf);
    }
  };
}

const deliveryOf = ({ record, attempts }: AnyDelivery): object => ({ ...record, attempts: Object.values(attempts) });

async function* listed(name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = `,"${name}":[`;
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',\n';
  }
  yield before === ',\n' ? ']' : `${before}]`;
}
