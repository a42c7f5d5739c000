import { signal } from '@preact/signals';
import { Fragment } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { readFilter } from '../../../../../core/events/event-filter.js';
import { number } from '../../../../../core/web/language.js';
import { type Export, ExportMenu } from '../../components/export-menu.js';
import { Draw } from '../../components/icons.js';
import { List } from '../../components/list.js';
import { LogList } from '../../components/log-list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty } from '../../components/status.js';
import { announce } from '../../data/announce.js';
import { type EventList, useEventList } from '../../data/event-list.js';
import { useFilters } from '../../data/filters.js';
import { live } from '../../data/live.js';
import type { LiveEvent } from '../../data/live-event.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import callsSheet from '../../styles/calls.page.css';
import eventsSheet from '../../styles/events.page.css';
import { eventsAbout } from './correlation.js';
import { EventDetail } from './event-detail.js';
import { EventRow, summaryOf } from './event-row.js';
import { texts } from './texts.js';

addSheet(eventsSheet);
addSheet(callsSheet);

const ROW_PX = 48;

/** The parts that differ between events that are equal otherwise. */
const IDS = /\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\+?\d[\d.]*|wamid\.\S+/gi;

/** Filters that are a click away. */
const PRESETS = ['message', 'delivery', 'journey', 'call', 'advice'];

/** Examples of filters, and what they mean. */
const EXAMPLES = [
  ['delivery', texts.nameBegins],
  ['state:failed', texts.fieldBegins],
  ['"no answer"', texts.contains],
  ['-contact', texts.minusExcludes],
] as const;

/** Events that the user wants to keep in sight, until the page is closed. */
const pinned = signal<readonly LiveEvent[]>([]);

const COLUMNS = [{ title: texts.event }, { title: texts.time, width: 104 }];

/** Every event of the platform: followed, filtered, or as the tree of one message or conversation. */
export default function Events() {
  const { id } = useParams<{ id?: string }>();
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const filters = useFilters(['filter', 'number', 'contact']);
  const { filter: text = '', number = '', contact = '', from = '', before = '' } = filters.values;
  const about = query.get('about');
  const filter = useMemo(() => readFilter(text), [text]);
  const list = useEventList(
    [text, number, contact, from, before].join('\n'),
    (one) =>
      filter.matches(one) &&
      [number, contact].every((part) => one.json.includes(part)) &&
      one.at >= from &&
      (before === '' || one.at < before),
  );
  const tree = useTree(about);
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.']).data?.numbers ?? [];
  const search = query.size === 0 ? '' : `?${query}`;
  const select = useCallback(
    (key: string) => navigate(`/events/${encodeURIComponent(key)}${search}`, { replace: id !== undefined }),
    [search, id],
  );
  const close = () => navigate(`/events${search}`);
  const setText = (value: string): void => filters.set({ filter: value });
  const follow = (): void => {
    list.pause(!list.isPaused);
    announce(list.isPaused ? texts.newEventsAppearAgain : texts.newEventsWait);
  };
  useShortcuts({ ...(id !== undefined && { Escape: close }), p: follow });

  const event = id === undefined ? undefined : (pinned.value.find((one) => one.id === id) ?? live.events.findLast((one) => one.id === id));
  const isPinned = (one: LiveEvent): boolean => pinned.value.includes(one);
  const togglePin = (one: LiveEvent): void => {
    pinned.value = isPinned(one) ? pinned.value.filter((other) => other !== one) : [...pinned.value, one];
  };
  const saving = (kind: 'jsonl' | 'csv', label: string, note: string): Export<LiveEvent> => ({
    id: kind,
    label,
    note,
    // Oldest first, as `posthorn tail` prints them; a tree is in the order of time already.
    run: async (marked) =>
      (await import('../../exports/events.js')).saveEvents(
        kind,
        marked ? marked.toReversed() : tree ? tree.map((row) => row.event) : [...list.items].reverse(),
      ),
  });
  const exports = [saving('jsonl', texts.jsonLines, texts.asTailPrintsThem), saving('csv', 'CSV', texts.forSpreadsheets)];

  return (
    <Split
      title={texts.events}
      label={texts.theEvents}
      list={
        tree && about !== null ? (
          <>
            <div class="list-head">
              <div class="head">
                <p class="page-title" aria-hidden="true">
                  {texts.events}
                </p>
                <div class="buttons">
                  <ExportMenu exports={exports} />
                </div>
              </div>
              <About id={about} count={tree.length} />
              {pinned.value.length > 0 && <Pinned search={search} />}
            </div>
            <div class="columned" style={{ '--columns': 'minmax(0, 1fr) 104px' }}>
              <List
                label={texts.eventsAsTree}
                items={tree}
                keyOf={(row) => row.event.id}
                rowHeight={ROW_PX}
                selected={id}
                select={select}
                row={({ event: one, depth }) => <EventRow event={one} depth={depth} isPinned={isPinned(one)} />}
                empty={<NothingAbout />}
              />
            </div>
          </>
        ) : (
          <LogList
            name="events"
            title={texts.events}
            label={texts.eventsNewestFirst}
            count={<Count list={list} />}
            actions={<FollowButton list={list} toggle={follow} />}
            items={list.items}
            keyOf={(one) => one.id}
            timeOf={(one) => one.at}
            sameness={(one) => `${one.name} ${summaryOf(one).replace(IDS, '…')}`}
            columns={COLUMNS}
            rowHeight={ROW_PX}
            row={(one, sign) => <EventRow event={one} sign={sign} isPinned={isPinned(one)} />}
            selected={id}
            select={select}
            filters={filters}
            filter={<Filter text={text} setText={setText} />}
            more={[
              {
                name: 'number',
                label: texts.number,
                options: [['', texts.everyNumber], ...numbers.map(({ uuid, name, address }) => [uuid, `${address} ${name}`] as const)],
              },
              { name: 'contact', label: texts.contact },
            ]}
            exports={exports}
            empty={
              list.isSearching ? null : filters.isFiltered ? <NoneMatches text={text} setText={setText} clear={filters.clear} /> : <None />
            }
          >
            {pinned.value.length > 0 && <Pinned search={search} />}
          </LogList>
        )
      }
      detail={
        id === undefined ? undefined : (
          <EventDetail
            key={id}
            event={event}
            close={close}
            search={search}
            isPinned={event !== undefined && isPinned(event)}
            togglePin={() => event && togglePin(event)}
          />
        )
      }
      nothing={
        <Empty title={texts.noEventIsSelected}>
          <p>{texts.selectOne()}</p>
        </Empty>
      }
    />
  );
}

/** The events about a record; undefined without one. */
function useTree(about: string | null) {
  const version = about === null ? 0 : live.version.value;
  return useMemo(() => (about === null ? undefined : eventsAbout(live.events, about)), [about, version]);
}

function FollowButton({ list: { isPaused, waiting }, toggle }: { list: EventList; toggle: () => void }) {
  return (
    <button type="button" class="button outlined" aria-pressed={isPaused} onClick={toggle}>
      <Draw name={isPaused ? 'play' : 'pause'} />
      {!isPaused ? texts.pause : waiting > 0 ? texts.followNew(number(waiting)) : texts.follow}
    </button>
  );
}

function Count({ list: { isSearching, items } }: { list: EventList }) {
  const count = number(items.length);
  const isCut = live.dropped.value > 0;
  return (
    <span id="filter-count" class="quiet count-of-events" role="status" title={isCut ? texts.keepsTheNewestOnly : undefined}>
      {isSearching ? texts.searching : isCut ? texts.ofTheNewest(count, number(live.events.length)) : count}
    </span>
  );
}

function Filter({ text, setText }: { text: string; setText: (text: string) => void }) {
  return (
    <>
      <input
        class="input mono"
        type="search"
        data-filter
        aria-label={texts.filterOfEvents}
        aria-describedby="filter-count"
        placeholder={'delivery state:failed "a text"'}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="presets">
        {PRESETS.map((name) => (
          <button key={name} type="button" class="chip" aria-pressed={text === name} onClick={() => setText(text === name ? '' : name)}>
            {name}
          </button>
        ))}
      </div>
      <details class="filter-help">
        <summary>{texts.howToFilter}</summary>
        <dl class="facts">
          {EXAMPLES.map(([example, means]) => (
            <Fragment key={example}>
              <dt>
                <code>{example}</code>
              </dt>
              <dd>{means}</dd>
            </Fragment>
          ))}
        </dl>
        <p class="quiet">{texts.theSameAs(POSTHORN, text || 'delivery state:failed')}</p>
      </details>
    </>
  );
}

const About = ({ id, count }: { id: string; count: number }) => (
  <p class="about">
    <span>{texts.eventsAbout(count, id)}</span>
    <Link href="/events">{texts.everyEvent}</Link>
  </p>
);

const Pinned = ({ search }: { search: string }) => (
  <section aria-label={texts.pinnedEvents} class="pinned">
    <ul>
      {pinned.value.map((event) => (
        <li key={event.id}>
          <Link href={`/events/${encodeURIComponent(event.id)}${search}`}>{event.name}</Link>
          <button
            type="button"
            class="button plain"
            aria-label={texts.unpinOne(event.name)}
            onClick={() => {
              pinned.value = pinned.value.filter((other) => other !== event);
            }}
          >
            {texts.unpin}
          </button>
        </li>
      ))}
    </ul>
  </section>
);

const None = () => (
  <Empty title={texts.nothingHappened}>
    <p>{texts.howEventsArrive(POSTHORN)}</p>
  </Empty>
);

/** A single word is probably meant as a text. */
const NoneMatches = ({ text, setText, clear }: { text: string; setText: (text: string) => void; clear: () => void }) => (
  <Empty title={texts.noEventMatchesTheFilter}>
    <div class="buttons">
      {text !== '' && !/["-]|\w:/.test(text) && (
        <button type="button" class="button outlined" onClick={() => setText(`"${text.trim()}"`)}>
          {texts.searchForText(text.trim())}
        </button>
      )}
      <button type="button" class="button outlined" onClick={clear}>
        {texts.showEveryEvent}
      </button>
    </div>
  </Empty>
);

const NothingAbout = () => (
  <Empty title={texts.nothingAboutThis}>
    <p>{texts.whichEventsAreKept}</p>
  </Empty>
);
