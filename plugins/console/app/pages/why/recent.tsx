import { Link } from 'wouter-preact';
import type { ContactRecord, ConversationRecord, MessageRecord } from '#core';
import { textOf } from '../../../../../core/events/message-text.js';
import { Failure, Loading } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { nameOf } from '../inbox/content.js';
import { texts } from './texts.js';

const MAX_MESSAGES = 12;
const MAX_CONTACTS = 12;
const MAX_TEXT = 200;

interface Posted {
  readonly message: MessageRecord;
  readonly contact: ContactRecord;
}

interface Listed {
  readonly conversation: ConversationRecord;
  readonly contact: ContactRecord;
}

/** The name of a contact with its address, if it has one. */
const whoIs = (contact: ContactRecord, address: string): string => {
  const name = nameOf(contact);
  return name === contact.id ? address : `${name} · ${address}`;
};

/** The newest messages of contacts and clients, and the contacts of the newest conversations. */
export function Recent() {
  const { data, error, reload } = useQuery<{ messages: readonly Posted[] }>(`/messages?limit=${MAX_MESSAGES}`, ['message.', 'state.']);
  const contacts = useQuery<{ conversations: readonly Listed[] }>(`/conversations?limit=${MAX_CONTACTS}`, ['message.', 'conversation.']);
  return (
    <div class="cards">
      <section class="card" aria-labelledby="why-messages">
        <h2 id="why-messages">{texts.recentMessages}</h2>
        {error && <Failure error={error} retry={reload} />}
        {!data ? (
          !error && <Loading />
        ) : data.messages.length === 0 ? (
          <p class="quiet">{texts.noContactAndNoClient}</p>
        ) : (
          <ul class="choices">
            {data.messages.map(({ message, contact }) => (
              <li key={message.uuid}>
                <Link href={`/why?message=${message.uuid}`}>
                  <span class="choice-head">
                    <bdi>{(message.direction === 'inbound' ? texts.from : texts.to)(whoIs(contact, contact.address))}</bdi>
                    <Time at={message.recorded_at} />
                  </span>
                  <span class="choice-text" dir="auto">
                    {textOf(message).slice(0, MAX_TEXT)}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="card" aria-labelledby="why-contacts">
        <h2 id="why-contacts">{texts.recentContacts}</h2>
        {contacts.error && <Failure error={contacts.error} retry={contacts.reload} />}
        {!contacts.data ? (
          !contacts.error && <Loading />
        ) : contacts.data.conversations.length === 0 ? (
          <p class="quiet">{texts.noContactHasAConversation}</p>
        ) : (
          <ul class="choices">
            {contacts.data.conversations.map(({ conversation, contact }) => (
              <li key={conversation.uuid}>
                <Link href={`/why?contact=${contact.uuid}`}>
                  <span class="choice-head">
                    <bdi>{whoIs(contact, conversation.owner)}</bdi>
                    <Time at={conversation.updated_at} />
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
