import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import type { MessageRecord, NumberRecord } from '#core';
import { number } from '../../../../../core/web/language.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { List } from '../../components/list.js';
import { Menu } from '../../components/menu.js';
import { addSheet } from '../../components/page-sheet.js';
import { Empty, Failure, Loading } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { reasonOf } from '../../data/admin.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import deskSheet from '../../styles/desk.page.css';
import inboxSheet from '../../styles/inbox.page.css';
import panelSheet from '../../styles/panel.page.css';
import { isPlayable, whyNotWritten } from './contact-messages.js';
import { nameOf, summaryOf } from './content.js';
import { type Listed, useConversations } from './conversations.js';
import { Phone } from './phone.js';
import { usePlatformClock } from './platform-clock.js';
import { texts } from './texts.js';

addSheet(inboxSheet);
addSheet(deskSheet);
addSheet(panelSheet);

const Desk = lazyPart(async () => ({ default: (await import('./desk.js')).Desk }));
const NewPhoneSheet = lazyPart(() => import('./new-phone-sheet.js'));

const ROW_PX = 60;
/** Conversations in the menu that opens another phone. */
const MAX_OFFERED = 8;

const parts = [
  ['contacts', texts.contacts],
  ['phone', texts.phone],
  ['desk', texts.desk],
] as const;

/** Conversations from both sides: phones of contacts, and the desk of an operator. */
export default function Inbox() {
  usePlatformClock();
  const { id } = useParams<{ id?: string }>();
  const [search, setSearch] = useSearchParams();
  const [, navigate] = useLocation();
  const { list, error, reload, older } = useConversations();
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.']).data?.numbers;
  const [isNew, setNew] = useState(false);
  const [quoted, setQuoted] = useState<{ readonly conversation: string; readonly message: MessageRecord }>();
  const beside = (search.get('phones') ?? '').split(',').filter((one) => one !== '' && one !== id);
  const part = search.get('part') ?? (id === undefined ? 'contacts' : 'phone');
  const phones = id === undefined ? beside : [id, ...beside];
  useShortcuts({ n: () => setNew(true), ...(id !== undefined && { Escape: () => navigate('/inbox') }) });

  /** Shows a conversation at the desk; its phone takes the place of the selected one unless it is open already. */
  const select = (
    uuid: string,
    more: { readonly part?: string; readonly phones?: readonly string[]; readonly replace?: boolean } = {},
  ): void => {
    const others = (more.phones ?? (beside.includes(uuid) ? phones : beside)).filter((one) => one !== uuid);
    const query = new URLSearchParams(search);
    query.delete('part');
    query.delete('message');
    if (others.length > 0) query.set('phones', others.join(','));
    else query.delete('phones');
    if (more.part) query.set('part', more.part);
    navigate(`/inbox/${uuid}${query.size === 0 ? '' : `?${query.toString().replaceAll('%2C', ',')}`}`, { replace: more.replace ?? false });
  };
  const openBeside = (uuid: string): void => (id === undefined ? select(uuid) : select(id, { phones: [...beside, uuid] }));
  const showPart = (name: string): void => {
    const query = new URLSearchParams(search);
    query.set('part', name);
    setSearch(query);
  };

  if (!list || !numbers) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const filter = search.get('q') ?? '';
  const found = matching(list, filter, numbers);
  const hasSeveralNumbers = new Set(list.map(({ conversation }) => conversation.number)).size > 1;
  const named = counted(list.map(({ contact }) => nameOf(contact)));
  const offered = list.filter(({ conversation }) => !phones.includes(conversation.uuid)).slice(0, MAX_OFFERED);
  return (
    <div class={`inbox show-${part}`}>
      <h1 class="unseen">{texts.inbox}</h1>
      <fieldset class="inbox-parts" aria-label={texts.partsOfTheInbox}>
        {parts.map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="tab"
            aria-pressed={part === name}
            data-selected={part === name ? '' : undefined}
            onClick={() => showPart(name)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <section class="inbox-contacts" aria-label={texts.contacts}>
        <div class="list-head">
          <div class="head">
            <h2>{texts.contacts}</h2>
            {numbers.some((number) => whyNotWritten(number) === undefined) && (
              <button type="button" class="button outlined" onClick={() => setNew(true)}>
                <Draw name="plus" /> {texts.newPhone}
              </button>
            )}
          </div>
          {list.length > 0 && (
            <input
              class="input"
              type="search"
              data-filter
              aria-label={texts.filterContactsByName}
              placeholder={texts.filter}
              value={filter}
              onInput={({ currentTarget }) => {
                const query = new URLSearchParams(search);
                if (currentTarget.value === '') query.delete('q');
                else query.set('q', currentTarget.value);
                setSearch(query, { replace: true });
              }}
            />
          )}
        </div>
        {error && <Failure error={error} retry={reload} />}
        <List
          label={texts.conversations}
          items={found}
          keyOf={({ conversation }) => conversation.uuid}
          rowHeight={ROW_PX}
          selected={id}
          // As in other lists, each step with a key would otherwise be one in the history.
          select={(uuid) => select(uuid, { replace: id !== undefined })}
          open={() => document.querySelector<HTMLElement>('.phone.is-selected textarea')?.focus()}
          row={(listed) => (
            <Row
              listed={listed}
              number={hasSeveralNumbers ? numbers.find(({ uuid }) => uuid === listed.conversation.number) : undefined}
              hasNamesake={(named.get(nameOf(listed.contact)) ?? 0) > 1}
            />
          )}
          empty={
            <p class="quiet">
              {list.length === 0
                ? texts.noContactHasWrittenYet
                : texts.noConversationMatches(older ? texts.amongTheNewest(number(list.length)) : '')}
            </p>
          }
        />
        {older && <Older load={older} />}
      </section>
      <div class="inbox-phones">
        {phones.length === 0 ? (
          <Nothing numbers={numbers} hasConversations={list.length > 0} open={() => setNew(true)} />
        ) : (
          <>
            <div class="phones-head">
              <Menu
                items={[
                  { id: 'new', label: texts.newContact, select: () => setNew(true) },
                  ...offered.map(({ conversation, contact }) => ({
                    id: conversation.uuid,
                    label: nameOf(contact),
                    note: contact.address,
                    select: () => openBeside(conversation.uuid),
                  })),
                ]}
              >
                <Draw name="phone" /> {texts.anotherPhone} <span aria-hidden="true">▾</span>
              </Menu>
            </div>
            <div class="phones">
              {phones.map((uuid) => (
                <Phone
                  key={uuid}
                  conversation={uuid}
                  numbers={numbers}
                  isSelected={uuid === id}
                  found={uuid === id ? (search.get('message') ?? undefined) : undefined}
                  select={() => select(uuid, { phones })}
                  close={phones.length === 1 ? undefined : () => closePhone(uuid)}
                  quoteAtDesk={(message) => {
                    setQuoted({ conversation: uuid, message });
                    select(uuid, { phones, part: 'desk' });
                  }}
                />
              ))}
            </div>
          </>
        )}
      </div>
      <div class="inbox-desk">
        {id === undefined ? (
          <p class="quiet desk-nothing">{texts.theDeskShowsThe}</p>
        ) : (
          <Desk
            key={id}
            conversation={id}
            numbers={numbers}
            quoted={quoted?.conversation === id ? quoted.message : undefined}
            setQuoted={(message) => setQuoted(message && { conversation: id, message })}
          />
        )}
      </div>
      {isNew && (
        <NewPhoneSheet
          numbers={numbers}
          taken={list.map(({ contact }) => contact.id)}
          close={() => setNew(false)}
          opened={(uuid: string) => {
            setNew(false);
            if (phones.length === 0) select(uuid);
            else select(uuid, { phones: [...phones, uuid] });
          }}
        />
      )}
    </div>
  );

  function closePhone(uuid: string): void {
    const rest = phones.filter((one) => one !== uuid);
    select(uuid === id ? rest[0]! : id!, { phones: rest });
  }
}

/** Reads older conversations: the list, and so its filter, has the newest ones only. */
function Older({ load }: { load: () => Promise<void> }) {
  const [problem, setProblem] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const run = async (): Promise<void> => {
    setLoading(true);
    setProblem(undefined);
    await load().catch((error: unknown) => setProblem(reasonOf(error)));
    setLoading(false);
  };
  return (
    <div class="list-foot">
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class="button plain" disabled={isLoading} onClick={() => void run()}>
        {texts.showOlderConversations}
      </button>
    </div>
  );
}

function matching(list: readonly Listed[], filter: string, numbers: readonly NumberRecord[]): readonly Listed[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return list;
  return list.filter(({ conversation, contact, message }) => {
    const number = numbers.find(({ uuid }) => uuid === conversation.number);
    const text = [nameOf(contact), contact.id, number?.name, number?.address, message && summaryOf(message)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function counted(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

interface RowProps {
  readonly listed: Listed;
  readonly number: NumberRecord | undefined;
  /** Whether another contact has this name: the address tells them apart. */
  readonly hasNamesake: boolean;
}

const Row = ({ listed: { conversation, contact, message }, number, hasNamesake }: RowProps) => (
  <>
    <span>
      <span class="grow">
        <strong dir="auto">{nameOf(contact)}</strong>
        {hasNamesake && contact.address !== nameOf(contact) && (
          <>
            {' '}
            <small>
              <bdi>{contact.address}</bdi>
            </small>
          </>
        )}
      </span>
      {conversation.unread > 0 && (
        <span class="count">
          {conversation.unread}
          <span class="unseen"> {texts.unread}</span>
        </span>
      )}
      <Time at={conversation.updated_at} />
    </span>
    <span>
      <small class="grow" dir="auto">
        {message && `${message.direction === 'outbound' ? '→ ' : ''}${summaryOf(message).slice(0, 200)}`}
      </small>
      {number && (
        <small class="row-number">
          <bdi title={number.name}>{number.address}</bdi>
        </small>
      )}
    </span>
  </>
);

const Nothing = ({
  numbers,
  hasConversations,
  open,
}: {
  numbers: readonly NumberRecord[];
  hasConversations: boolean;
  open: () => void;
}) => (
  <Empty title={hasConversations ? texts.chooseAConversation : texts.noConversations}>
    {numbers.some(isPlayable) ? (
      <>
        <p>{hasConversations ? texts.itsPhoneOpensHereWith : texts.writeToOneOfYour}</p>
        <p class="buttons">
          <button type="button" class="button" onClick={open}>
            {texts.newPhone}
          </button>
        </p>
        <p class="quiet">{texts.fromATerminalSendHi(POSTHORN)}</p>
      </>
    ) : (
      <>
        <p>{numbers.length > 0 ? texts.messagesThatPeopleSendTo : texts.thereIsNoNumberThat}</p>
        <p class="buttons">
          <Link href="/numbers" class="button outlined">
            {texts.createANumber}
          </Link>
          <Link href="/channels" class="button outlined">
            {texts.createAChannel}
          </Link>
        </p>
      </>
    )}
  </Empty>
);
