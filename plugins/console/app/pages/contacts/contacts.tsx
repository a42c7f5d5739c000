import type { ComponentChildren } from 'preact';
import { useLocation, useParams } from 'wouter-preact';
import { number } from '../../../../../core/web/language.js';
import type { Export } from '../../components/export-menu.js';
import { lazyPart } from '../../components/lazy-part.js';
import { LogList } from '../../components/log-list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useFilters } from '../../data/filters.js';
import { POSTHORN } from '../../data/own-command.js';
import { type Source, usePages } from '../../data/pages.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import contactsSheet from '../../styles/contacts.page.css';
import { nameOf, summaryOf } from '../inbox/content.js';
import { NoContacts } from './no-contacts.js';
import type { ListedContact } from './records.js';
import { texts } from './texts.js';

addSheet(contactsSheet);

const ContactDetail = lazyPart(() => import('./detail.js'));

const ROW_PX = 52;
const FILTERS = ['text', 'number', 'blocked', 'opted_in'];
const COLUMNS = [{ title: texts.contact }, { title: texts.lastMessage, width: 128 }, { title: texts.number, width: 92 }];

/** The contacts of all numbers, newest first, with a page for each. */
export default function Contacts() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const filters = useFilters(FILTERS);
  const source: Source<ListedContact> = {
    path: '/contacts',
    filters: filters.values,
    keyOf: ({ contact }) => contact.uuid,
    timeOf: ({ contact }) => contact.created_at,
  };
  const pages = usePages(source, ['contact.', 'message.received', 'message.queued', 'state.']);
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers ?? [];
  const back = `/contacts${filters.query}`;
  useShortcuts(id === undefined ? {} : { Escape: () => navigate(back) });
  const csv: Export<ListedContact> = {
    id: 'csv',
    label: 'CSV',
    note: texts.listForSpreadsheets,
    run: async (...args) => (await import('../../exports/contacts.js')).saveContacts(source, numbers, ...args),
  };
  return (
    <Split
      title={texts.contacts}
      label={texts.theContacts}
      list={
        <LogList
          name="contacts"
          title={texts.contacts}
          label={texts.contactsNewestFirst}
          count={
            <span class="quiet" role="status">
              {pages.data && texts.count(number(pages.data.length), pages.data.length, pages.older !== undefined)}
            </span>
          }
          items={pages.data}
          keyOf={source.keyOf}
          timeOf={source.timeOf}
          // Channels write phone numbers with a plus.
          sameness={({ contact }) => contact.id.replace(/^\+/, '')}
          columns={COLUMNS}
          rowHeight={ROW_PX}
          row={(listed, sign) => <Row listed={listed} sign={sign} number={numbers.find(({ uuid }) => uuid === listed.contact.number)} />}
          selected={id}
          select={(uuid) => navigate(`/contacts/${uuid}${filters.query}`, { replace: id !== undefined })}
          filters={filters}
          fields={[
            { name: 'text', label: texts.nameOrId },
            {
              name: 'number',
              label: texts.number,
              options: [['', texts.everyNumber], ...numbers.map(({ uuid, name, address }) => [uuid, `${name} ${address}`] as const)],
            },
            {
              name: 'blocked',
              label: texts.blocks,
              options: [
                ['', texts.blockedOrNot],
                ['any', texts.blocked],
                ['contact', texts.blockedBy('contact')],
                ['network', texts.blockedBy('network')],
                ['operator', texts.blockedBy('operator')],
              ],
            },
          ]}
          more={[
            {
              name: 'opted_in',
              label: texts.consent,
              options: [
                ['', texts.optedInOrNot],
                ['true', texts.optedIn],
                ['false', texts.notOptedIn],
              ],
            },
          ]}
          exports={[csv]}
          pages={pages}
          showOlder={texts.showOlderContacts}
          empty={
            filters.isFiltered ? (
              <Empty title={texts.noContactMatches}>
                <button type="button" class="button outlined" onClick={filters.clear}>
                  {texts.showEveryContact}
                </button>
              </Empty>
            ) : (
              <NoContacts numbers={numbers} posthorn={POSTHORN} />
            )
          }
        />
      }
      detail={id === undefined ? undefined : <ContactDetail key={id} id={id} numbers={numbers} back={back} />}
      nothing={
        pages.data && pages.data.length > 0 ? (
          <Empty title={texts.noContactIsSelected}>
            <p>{texts.selectOne()}</p>
          </Empty>
        ) : (
          <span />
        )
      }
    />
  );
}

interface RowProps {
  readonly listed: ListedContact;
  readonly sign: ComponentChildren;
  readonly number: NumberRecord | undefined;
}

function Row({ listed: { contact, ids, conversation, message }, sign, number }: RowProps) {
  const at = message?.recorded_at ?? conversation?.updated_at;
  return (
    <>
      <span class="cell">
        <span>
          <strong dir="auto">{nameOf(contact)}</strong>
        </span>
        <small>
          {sign} <bdi class="mono">{ids.join(', ')}</bdi>
        </small>
      </span>
      <span class="cell">
        {at === undefined ? <small>{texts.noMessage}</small> : <Time at={at} />}
        {message && (
          <small dir="auto">
            {message.direction === 'outbound' && message.type !== 'system' && '→ '}
            {summaryOf(message).slice(0, 100)}
          </small>
        )}
      </span>
      <span class="cell">
        <bdi>{number?.name}</bdi>
        {contact.blocked ? <Status tone="bad">{texts.blocked}</Status> : <small>{number?.type}</small>}
      </span>
    </>
  );
}
