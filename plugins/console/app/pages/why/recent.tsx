import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ContactRecord, ConversationRecord, MessageRecord, NumberRecord } from '#core';
import { textOf } from '../../../../../core/events/message-text.js';
import { Time } from '../../components/time.js';
import { admin } from '../../data/admin.js';
import { useEventList } from '../../data/event-list.js';
import { isGap } from '../../data/live-event.js';
import { useQuery } from '../../data/query.js';

const MAX_MESSAGES = 12;
const MAX_CONTACTS = 12;
/** Numbers whose conversations are read. */
const MAX_NUMBERS = 8;
const MAX_TEXT = 200;

/** The newest messages of contacts and clients, and the contacts of the newest conversations. */
export function Recent() {
  const list = useEventList('recent', ({ name, data }) => {
    if (name !== 'message.received' && name !== 'message.queued') return false;
    return (data as { message: MessageRecord }).message.journey === undefined;
  });
  const messages = list.items
    .slice(0, 4 * MAX_MESSAGES)
    .filter((event) => !isGap(event))
    .slice(0, MAX_MESSAGES);
  const contacts = useRecentContacts();
  return (
    <div class="cards">
      <section class="card" aria-labelledby="why-messages">
        <h2 id="why-messages">Recent messages</h2>
        {messages.length === 0 ? (
          <p class="quiet">{list.isSearching ? 'Searching…' : 'No message has arrived since this page or the platform was started.'}</p>
        ) : (
          <ul class="choices">
            {messages.map((event) => {
              const { message, contact } = event.data as { message: MessageRecord; contact: ContactRecord };
              return (
                <li key={event.id}>
                  <Link href={`/why?message=${message.uuid}`}>
                    <span class="choice-head">
                      <bdi>{message.direction === 'inbound' ? `From ${contact.address}` : `To ${contact.address}`}</bdi>
                      <Time at={message.recorded_at} />
                    </span>
                    <span class="choice-text" dir="auto">
                      {textOf(message).slice(0, MAX_TEXT)}
                    </span>
                  </Link>
                </li>
              );
            })}
          </ul>
        )}
      </section>
      <section class="card" aria-labelledby="why-contacts">
        <h2 id="why-contacts">Recent contacts</h2>
        {contacts.length === 0 ? (
          <p class="quiet">No contact has a conversation.</p>
        ) : (
          <ul class="choices">
            {contacts.map(({ uuid, contact, owner, updated_at }) => (
              <li key={uuid}>
                <Link href={`/why?contact=${contact}`}>
                  <span class="choice-head">
                    <bdi>{owner}</bdi>
                    <Time at={updated_at} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

function useRecentContacts(): readonly ConversationRecord[] {
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers').data?.numbers;
  const [found, setFound] = useState<readonly ConversationRecord[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const read = async (uuid: string): Promise<readonly ConversationRecord[]> =>
      (
        await admin<{ conversations: readonly ConversationRecord[] }>(
          'GET',
          `/numbers/${uuid}/conversations?limit=${MAX_CONTACTS}`,
          undefined,
          abort.signal,
        )
      ).conversations;
    Promise.all((numbers ?? []).slice(0, MAX_NUMBERS).map(({ uuid }) => read(uuid))).then(
      (all) =>
        setFound(
          all
            .flat()
            .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
            .slice(0, MAX_CONTACTS),
        ),
      // The page works without this list.
      () => setFound([]),
    );
    return () => abort.abort();
  }, [numbers]);
  return found;
}
