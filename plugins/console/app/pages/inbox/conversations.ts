import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ContactRecord, ConversationRecord, MessageRecord } from '#core';
import { admin, type CallFailed, queryOf } from '../../data/admin.js';
import { live, type StreamedEvent } from '../../data/live.js';
import { type Query, useQuery } from '../../data/query.js';

export interface Listed {
  readonly conversation: ConversationRecord;
  readonly contact: ContactRecord;
  readonly message?: MessageRecord;
}

/** Conversations that are read at first, and with each step back. */
export const PAGE = 500;

export interface Conversations {
  /** Most recent first. */
  readonly list: readonly Listed[] | undefined;
  readonly error: CallFailed | undefined;
  readonly reload: () => void;
  /** Reads older conversations; undefined if there are none. @throws CallFailed */
  readonly older: (() => Promise<void>) | undefined;
}

/** The most recent conversations of all numbers. Events of messages contain all that the list shows, so nothing is loaded again for them. */
export function useConversations(): Conversations {
  const query: Query<Response> = useQuery(`/conversations?limit=${PAGE}`, [
    'journey.handed_over',
    'state.',
    'contact.merged',
    'contact.split',
  ]);
  const list = useSignal<readonly Listed[] | undefined>(query.data?.conversations);
  /** How many may be in the list; more than it has if there are no older ones. */
  const limit = useRef(PAGE);
  useEffect(() => {
    if (query.data) list.value = joined(query.data.conversations, list.value ?? [], limit.current);
  }, [query.data]);
  useEffect(
    () =>
      live.listen((batch) => {
        // After a reset, nothing that was read before is known to exist.
        if (batch.some(({ name }) => name === 'gap' || name.startsWith('state.'))) limit.current = PAGE;
        if (list.value) list.value = updated(list.value, batch, limit.current);
      }),
    [],
  );
  const older = async (): Promise<void> => {
    // Includes the millisecond of the oldest known one, in which others may have been updated.
    const before = new Date(Date.parse(list.value!.at(-1)!.conversation.updated_at) + 1).toISOString();
    const { conversations } = await admin<Response>('GET', `/conversations${queryOf({ limit: PAGE, before })}`);
    limit.current += PAGE;
    list.value = joined(list.value!, conversations, limit.current);
  };
  const hasOlder = list.value !== undefined && list.value.length >= limit.current;
  return { list: list.value, error: query.error, reload: query.reload, older: hasOlder ? older : undefined };
}

interface Response {
  readonly conversations: readonly Listed[];
}

/** The newer ones, and up to `limit` those of the others that are older than all of them. */
function joined(newer: readonly Listed[], others: readonly Listed[], limit: number): readonly Listed[] {
  if (newer.length < PAGE) return newer;
  const known = new Set(newer.map(({ conversation }) => conversation.uuid));
  const oldest = newer.at(-1)!.conversation.updated_at;
  const rest = others.filter(({ conversation }) => !known.has(conversation.uuid) && conversation.updated_at <= oldest);
  return [...newer, ...rest].slice(0, limit);
}

function updated(list: readonly Listed[], batch: readonly StreamedEvent[], limit: number): readonly Listed[] {
  const changes = batch.filter(({ name }) => name.startsWith('message.') || name === 'contact.changed');
  if (changes.length === 0) return list;
  const all = new Map(list.map((one) => [one.conversation.uuid, one]));
  for (const { name, data } of changes) {
    if (name === 'message.received' || name === 'message.queued') {
      const { conversation, contact, message } = data as Required<Listed>;
      all.set(conversation.uuid, { conversation, contact, message });
    } else if (name === 'contact.changed') {
      const known = [...all.values()].find(({ contact }) => contact.uuid === data.contact.uuid);
      if (known) all.set(known.conversation.uuid, { ...known, contact: data.contact });
    } else {
      const known = all.get(data.message.conversation);
      if (!known) continue;
      const conversation = name === 'message.seen' ? { ...known.conversation, unread: 0 } : known.conversation;
      all.set(conversation.uuid, { ...known, conversation, ...(known.message?.uuid === data.message.uuid && { message: data.message }) });
    }
  }
  return [...all.values()]
    .sort((a, b) =>
      a.conversation.updated_at < b.conversation.updated_at ? 1 : a.conversation.updated_at > b.conversation.updated_at ? -1 : 0,
    )
    .slice(0, limit);
}
