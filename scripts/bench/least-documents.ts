// The least that keeps what can be asked for later: a message with its contact and conversation, and a delivery with its body and its attempt, as
// plain objects in maps and as lines of one file. No transactions, no conflicts, no indexes but a map, no order, lanes, retries or events.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { BareJournal } from './bare-journal.js';

interface Said {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly contact: string;
  readonly name: string;
  readonly type: string;
  readonly content: object;
}

interface Conversation {
  readonly uuid: string;
  readonly contact: string;
  readonly state: string;
  readonly unread: number;
  readonly length: number;
  readonly updated_at: string;
}

interface Message extends Omit<Said, 'contact'> {
  readonly uuid: string;
  readonly conversation: string;
  readonly position: number;
  readonly recorded_at: string;
  readonly statuses: readonly object[];
  readonly read_at?: string;
}

interface Delivery {
  readonly uuid: string;
  readonly message: string;
  readonly event: string;
  readonly state: 'queued' | 'sending' | 'delivered';
  readonly body: string;
  readonly created_at: string;
  readonly attempts: number;
}

export function leastDocuments(journal: BareJournal, webhook: string) {
  const contacts = new Map<string, { readonly uuid: string; readonly id: string; readonly name: string }>();
  const conversations = new Map<string, Conversation>();
  const messages = new Map<string, Message>();
  const deliveries = new Map<string, Delivery>();
  const attempts = new Map<string, object>();
  const pool = new Pool(webhook, { connections: 64 });
  const now = () => new Date().toISOString();
  const keep = (...documents: object[]) => journal.append(`${JSON.stringify(documents)}\n`);

  return {
    async said({ id, direction, contact: who, name, type, content }: Said): Promise<void> {
      if (messages.has(id)) return;
      const at = now();
      const contact = contacts.get(who) ?? { uuid: randomUUID(), id: who, name };
      contacts.set(who, contact);
      const before = conversations.get(who) ?? { uuid: randomUUID(), contact: contact.uuid, unread: 0, length: 0 };
      const conversation: Conversation = {
        ...before,
        state: 'OPEN',
        unread: direction === 'inbound' ? before.unread + 1 : 0,
        length: before.length + 1,
        updated_at: at,
      };
      conversations.set(who, conversation);
      const about = { conversation: conversation.uuid, position: conversation.length, recorded_at: at, statuses: [] };
      const message: Message = { uuid: randomUUID(), ...about, id, direction, name, type, content };
      messages.set(id, message);
      const body = JSON.stringify({
        contacts: [{ profile: { name }, wa_id: who }],
        messages: [{ from: who, id, timestamp: '1767600000', type, ...content }],
      });
      const state = { state: 'queued', attempts: 0, created_at: at } as const;
      const delivery: Delivery = { uuid: randomUUID(), message: message.uuid, event: `message:${message.uuid}`, body, ...state };
      deliveries.set(delivery.uuid, delivery);
      await keep(contact, conversation, message, delivery);
      void deliver(delivery);
    },

    async read(id: string): Promise<void> {
      const message = messages.get(id);
      if (!message) return;
      const read: Message = { ...message, read_at: now() };
      messages.set(id, read);
      await keep(read);
    },
  };

  async function deliver(delivery: Delivery): Promise<void> {
    const { uuid, body } = delivery;
    const sending: Delivery = { ...delivery, state: 'sending' };
    deliveries.set(uuid, sending);
    void keep(sending);
    const started_at = now();
    const signature = createHmac('sha256', 'x'.repeat(43)).update(body).digest('base64');
    const headers = { 'content-type': 'application/json', 'x-svc-hook-signature': signature, 'x-svc-hook-subscription': 'msgapp' };
    const { statusCode, headers: answered, body: answer } = await pool.request({ path: '/', method: 'POST', body, headers });
    const response = await answer.text();
    const delivered: Delivery = { ...sending, state: 'delivered', attempts: 1 };
    deliveries.set(uuid, delivered);
    const attempt = {
      uuid: randomUUID(),
      delivery: uuid,
      n: 0,
      started_at,
      ended_at: now(),
      status: statusCode,
      response,
      headers: answered,
    };
    attempts.set(attempt.uuid, attempt);
    await keep(delivered, attempt);
  }
}
