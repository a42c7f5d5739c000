// Minimal storage that could serve later requests: messages with contacts and conversations, and deliveries with body and
// attempt, as plain objects in maps, and as lines of one file from which they could be restored. No transactions, conflicts, indexes
// (except the maps), ordering, lanes, retries or events.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { BareJournal } from '../measuring/bare-journal.js';

interface MessageData {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly contact: string;
  readonly name: string;
  readonly type: string;
  readonly content: object;
}

interface Conversation {
  readonly uuid: string;
  readonly contact: { readonly uuid: string; readonly id: string; readonly name: string };
  unread: number;
  length: number;
  updated_at: string;
}

interface Message {
  readonly uuid: string;
  readonly conversation: string;
  readonly position: number;
  readonly recorded_at: string;
  readonly id: string;
  readonly direction: MessageData['direction'];
  readonly name: string;
  readonly type: string;
  readonly content: object;
  readonly statuses: object[];
  read_at: string | null;
}

interface Delivery {
  readonly uuid: string;
  readonly message: string;
  readonly created_at: string;
  readonly body: string;
  state: 'queued' | 'delivered';
  readonly attempts: object[];
}

export function minimalDocuments(journal: BareJournal, webhook: string, sign: (body: string) => string) {
  const conversations = new Map<string, Conversation>();
  const messages = new Map<string, Message>();
  const deliveries = new Map<string, Delivery>();
  const pool = new Pool(webhook, { connections: 64 });
  const now = () => new Date().toISOString();
  const keep = (news: object) => journal.append(`${JSON.stringify(news)}\n`);

  return {
    async record({ id, direction, contact: who, name, type, content }: MessageData): Promise<void> {
      if (messages.has(id)) return;
      const recorded_at = now();
      const known = conversations.get(who);
      const conversation = known ?? openConversation(who, name);
      conversation.length++;
      conversation.unread = direction === 'inbound' ? conversation.unread + 1 : 0;
      conversation.updated_at = recorded_at;
      const { uuid: within, length: position } = conversation;
      const message: Message = {
        uuid: randomUUID(),
        conversation: within,
        position,
        recorded_at,
        id,
        direction,
        name,
        type,
        content,
        statuses: [],
        read_at: null,
      };
      messages.set(id, message);
      const body = JSON.stringify({
        contacts: [{ profile: { name }, wa_id: who }],
        messages: [{ from: who, id, timestamp: '1767600000', type, ...content }],
      });
      const delivery: Delivery = {
        uuid: randomUUID(),
        message: message.uuid,
        created_at: recorded_at,
        body,
        state: 'queued',
        attempts: [],
      };
      deliveries.set(delivery.uuid, delivery);
      // The state of a conversation follows from its messages.
      await keep(known ? { message, delivery } : { conversation, message, delivery });
      void deliver(delivery);
    },

    async read(id: string): Promise<void> {
      const message = messages.get(id);
      if (!message) return;
      message.read_at = now();
      await keep({ read: message.uuid, at: message.read_at });
    },
  };

  function openConversation(who: string, name: string): Conversation {
    const contact = { uuid: randomUUID(), id: who, name };
    const conversation = { uuid: randomUUID(), contact, unread: 0, length: 0, updated_at: '' };
    conversations.set(who, conversation);
    return conversation;
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const { uuid, body } = delivery;
    const started_at = now();
    const signature = sign(body);
    const headers = { 'content-type': 'application/json', 'x-svc-hook-signature': signature, 'x-svc-hook-subscription': 'msgapp' };
    const { statusCode: status, headers: answered, body: answer } = await pool.request({ path: '/', method: 'POST', body, headers });
    const attempt = { started_at, ended_at: now(), status, response: await answer.text(), headers: answered };
    delivery.attempts.push(attempt);
    delivery.state = 'delivered';
    await keep({ delivered: uuid, attempt });
  }
}
