import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { RecordLink } from '../../components/record-link.js';
import { NoSuchRecord } from '../../components/record-list.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { queryOf } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { nameOf } from '../inbox/content.js';
import { ContactActions } from './actions.js';
import { Conversation } from './conversation.js';
import { texts } from './detail-texts.js';
import { Fields } from './fields.js';
import { Merges } from './merges.js';
import type { ListedContact, ShownContact } from './records.js';

interface ContactDetailProps {
  readonly id: string;
  readonly numbers: readonly NumberRecord[];
  readonly back: string;
}

/** A contact: its ids, whether messages reach it, its conversation, journey and fields, and what can be done with it. */
export default function ContactDetail({ id, numbers, back }: ContactDetailProps) {
  const { data, error, reload } = useQuery<ShownContact>(`/contacts/${encodeURIComponent(id)}`, [
    'contact.',
    'message.received',
    'message.queued',
    'state.',
  ]);
  return (
    <article class="detail" aria-label={texts.contact}>
      <div class="detail-head">
        <Link href={back} class="button plain back">
          <Draw name="back" turns /> {texts.contacts}
        </Link>
        {data && <h2 dir="auto">{nameOf(data.contact)}</h2>}
      </div>
      {error?.status === 404 ? (
        <NoSuchRecord noun="contact" back={back} />
      ) : !data ? (
        error ? (
          <Failure error={error} retry={reload} />
        ) : (
          <Loading />
        )
      ) : (
        <>
          {data.contact.uuid !== id && <p class="callout">{texts.wasMerged}</p>}
          <ContactActions shown={data} back={back} />
          <Facts shown={data} numbers={numbers} />
          {data.conversation ? (
            <Conversation conversation={data.conversation} contact={data.contact.uuid} />
          ) : (
            <p class="quiet">{texts.noMessageYet}</p>
          )}
          <Fields contact={data.contact} />
          <Merges shown={data} />
        </>
      )}
    </article>
  );
}

function Facts({ shown: { contact, ids }, numbers }: { shown: ShownContact; numbers: readonly NumberRecord[] }) {
  const number = numbers.find(({ uuid }) => uuid === contact.number);
  const { opted_in: isOptedIn, opted_in_at: since, last_message_received_at: received, last_message_sent_at: sent } = contact.fields;
  const blocks = Object.entries(contact.blocked ?? {});
  return (
    <dl class="facts">
      <dt>{texts.number}</dt>
      <dd>
        <RecordLink kind={number?.kind === 'channel' ? 'channel' : 'number'} id={contact.number} shown={number?.name ?? contact.number} />{' '}
        {number && (
          <span class="quiet">
            <bdi>{number.address}</bdi> · {number.type}
          </span>
        )}
      </dd>
      <dt>{texts.ids}</dt>
      <dd class="contact-ids">
        {ids.map((id, i) => (
          <CopyText key={id} text={id} label={i === 0 ? texts.theId : texts.anotherId} />
        ))}
      </dd>
      {!ids.includes(contact.address) && (
        <>
          <dt>{texts.address}</dt>
          <dd>
            <CopyText text={contact.address} label={texts.theAddress} />
          </dd>
        </>
      )}
      <OtherNumbers contact={contact} numbers={numbers} />
      <dt>{texts.messagesTo}</dt>
      <dd>
        {blocks.length === 0 ? (
          <Status tone="ok">{texts.areSent}</Status>
        ) : (
          blocks.map(([by, block]) => (
            <p key={by}>
              <Status tone="bad">{texts.blockedBy(by)}</Status> {texts.sinceBecause(<Time at={block!.at} />, block!.reason)}
            </p>
          ))
        )}
      </dd>
      <dt>{texts.consent}</dt>
      <dd>
        {isOptedIn === true ? <Status tone="ok">{texts.optedIn}</Status> : texts.notOptedIn}{' '}
        {typeof since === 'string' && <Time at={since} />}
      </dd>
      <dt>{texts.knownSince}</dt>
      <dd>
        <Time at={contact.created_at} />
      </dd>
      <OneTime title={texts.lastReceived} at={received} />
      <OneTime title={texts.lastSent} at={sent} />
      <dt>{texts.alsoSee}</dt>
      <dd class="buttons">
        <Link href={`/events?about=${contact.uuid}`}>{texts.events}</Link>
        <Link href={`/deliveries${queryOf({ number: contact.number, contact: contact.address })}`}>{texts.deliveries}</Link>
        <Link href={`/calls${queryOf({ text: contact.id })}`}>{texts.calls}</Link>
      </dd>
    </dl>
  );
}

const OneTime = ({ title, at }: { title: string; at: unknown }) =>
  typeof at === 'string' ? (
    <>
      <dt>{title}</dt>
      <dd>
        <Time at={at} />
      </dd>
    </>
  ) : null;

/** The contacts with the same id on other numbers: most often the same person. */
function OtherNumbers({ contact, numbers }: { contact: ShownContact['contact']; numbers: readonly NumberRecord[] }) {
  const { data } = useQuery<{ contacts: readonly ListedContact[] }>(
    numbers.length > 1 ? `/contacts${queryOf({ id: contact.id })}` : undefined,
    ['contact.', 'state.'],
  );
  const others = data?.contacts.filter((one) => one.contact.uuid !== contact.uuid) ?? [];
  if (others.length === 0) return null;
  return (
    <>
      <dt>{texts.alsoOn}</dt>
      <dd class="contact-ids">
        {others.map(({ contact: { uuid, number } }) => (
          <Link key={uuid} href={`/contacts/${uuid}`}>
            <bdi>{numbers.find((one) => one.uuid === number)?.name ?? number}</bdi>
          </Link>
        ))}
      </dd>
    </>
  );
}
