import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { number } from '../../../../core/web/language.js';
import { announce } from '../data/announce.js';
import type { FilterState } from '../data/filters.js';
import { type Entry, grouped, rateOf } from '../data/groups.js';
import type { Pages } from '../data/pages.js';
import { useShortcuts } from '../data/shortcuts.js';
import logSheet from '../styles/log-list.page.css';
import { type Column, ColumnHead, useColumns } from './columns.js';
import type { Export, ExportMenu as ExportMenuType } from './export-menu.js';
import { type Field, FilterBar } from './filter-bar.js';
import { lazyPart } from './lazy-part.js';
import { List } from './list.js';
import { texts } from './log-texts.js';
import { addSheet } from './page-sheet.js';
import { Failure, Loading } from './status.js';
import { Time } from './time.js';

addSheet(logSheet);

/** Only so many of the newest rows are grouped and counted over time: a page may have 100,000 events. */
const MOST_COUNTED = 5_000;

const ExportMenu = lazyPart(async () => ({ default: (await import('./export-menu.js')).ExportMenu })) as typeof ExportMenuType;

interface LogListProps<T> {
  /** Under which the browser stores its columns. */
  readonly name: string;
  /** Such as `Calls`. */
  readonly title: string;
  /** The name of the list for screen readers. */
  readonly label: string;
  /** Beside the title, such as the number of rows. */
  readonly count?: ComponentChildren;
  /** More buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly items: readonly T[] | undefined;
  readonly keyOf: (item: T) => string;
  readonly timeOf: (item: T) => string;
  /** Items with the same text are equal, and can be shown as one. */
  readonly sameness: (item: T) => string;
  readonly columns: readonly Column[];
  readonly rowHeight: number;
  /** The cells of a row, one for each column. `sign`: is placed in the widest cell. */
  readonly row: (item: T, sign: ComponentChildren) => ComponentChildren;
  readonly selected: string | undefined;
  readonly select: (key: string) => void;
  readonly filters: FilterState;
  /** The filter of the list instead of fields. */
  readonly filter?: ComponentChildren;
  readonly fields?: readonly Field[];
  readonly more: readonly Field[];
  readonly exports: readonly Export<T>[];
  readonly pages?: Pages<T>;
  /** On the button that reads older rows of `pages`. */
  readonly showOlder?: string;
  /** More parts of the page, between filters and list. */
  readonly children?: ComponentChildren;
  readonly empty: ComponentChildren;
}

/** A list of what happened, newest first: with filters, a histogram, groups of equal rows, marks, columns and export. */
export function LogList<T>(props: LogListProps<T>) {
  const { name, title, label, count, actions, items = [], keyOf, timeOf, sameness, columns, filters, pages, exports } = props;
  const { widths, setWidth, template } = useColumns(name, columns);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string>();
  const { isGrouped } = filters;
  // Some lists change in place.
  const changes = [items, items.length, items[0]];
  const times = useMemo(() => items.slice(0, MOST_COUNTED).map((item) => Date.parse(timeOf(item))), changes);
  const entries = useMemo(
    (): readonly Entry<T>[] => (isGrouped ? grouped(items.slice(0, MOST_COUNTED), { keyOf, sameness, open }) : []),
    [...changes, isGrouped, open],
  );
  const groups = useMemo(() => new Map(entries.flatMap((entry) => (entry.members ? [[entry.key, entry] as const] : []))), [entries]);
  const keysOf = (key: string): readonly string[] => groups.get(key)?.members?.map(keyOf) ?? [key];
  const isMarked = (key: string): boolean => keysOf(key).every((one) => marks.has(one));
  const marked = {
    has: (key: string) => marks.size > 0 && isMarked(key),
    toggle(key: string): void {
      const keys = keysOf(key);
      const next = isMarked(key) ? [...marks].filter((one) => !keys.includes(one)) : [...marks, ...keys];
      setMarks(new Set(next));
      announce(texts.rowsAreMarked(next.length));
    },
  };
  const press = (key: string): void => {
    const isOpen = open.has(key);
    setOpen(new Set(isOpen ? [...open].filter((one) => one !== key) : [...open, key]));
    announce(isOpen ? texts.groupClosed : texts.rowsBelow(keysOf(key).length));
  };
  const select = (key: string, isClick = false): void => {
    setCursor(groups.has(key) ? key : undefined);
    props.select(keysOf(key)[0]!);
    if (isClick && groups.has(key)) press(key);
  };
  const groupAtCursor = cursor === undefined ? undefined : groups.get(cursor);
  const selected = groupAtCursor && keyOf(groupAtCursor.item) === props.selected ? cursor : props.selected;
  // After those of the list, so that `Enter` is that of a group first.
  useShortcuts({
    ...(selected !== undefined && groups.has(selected) && { Enter: () => press(selected) }),
    ...(selected !== undefined && { x: () => marked.toggle(selected) }),
  });
  const isCut = items.length > MOST_COUNTED;
  // Beside the title the same number is known already.
  const about = count !== undefined && !isCut ? undefined : texts.counted(number(times.length), isCut, pages?.older !== undefined);

  return (
    <>
      <div class="list-head">
        <div class="head">
          <p class="page-title" aria-hidden="true">
            {title}
          </p>
          {count}
          <div class="buttons">
            {actions}
            {items.length > 0 && (
              <ExportMenu
                exports={exports}
                marked={marks.size === 0 ? undefined : items.filter((item) => marks.has(keyOf(item)))}
                clear={() => setMarks(new Set())}
              />
            )}
          </div>
        </div>
        {props.filter}
        <FilterBar {...{ filters, times, about }} fields={props.fields ?? []} more={props.more} />
        {props.children}
      </div>
      {pages?.error && <Failure error={pages.error} retry={pages.reload} />}
      {!props.items && !pages?.error && <Loading />}
      <div class="columned" style={{ '--columns': template }}>
        {items.length > 0 && <ColumnHead {...{ columns, widths, setWidth }} />}
        <List
          label={label}
          items={isGrouped ? entries : items.map((item) => ({ key: keyOf(item), item }))}
          keyOf={({ key }) => key}
          rowHeight={props.rowHeight}
          selected={selected}
          select={select}
          isMarked={(key) => marked.has(key) || undefined}
          row={(entry: Entry<T>) => props.row(entry.item, <Sign entry={entry} timeOf={timeOf} isMarked={marked.has(entry.key)} />)}
          empty={props.items && props.empty}
        />
      </div>
      {pages && <Foot pages={pages} showOlder={props.showOlder} />}
    </>
  );
}

/** Whether a row is marked, and how often and how fast what it shows has happened. */
function Sign<T>({ entry, timeOf, isMarked }: { entry: Entry<T>; timeOf: (item: T) => string; isMarked: boolean }) {
  const { members, isOpen = false, isMember = false } = entry;
  const mark = isMarked && <span class="marked">✓</span>;
  if (!members)
    return (
      <>
        {isMember && (
          <span class="member-sign" aria-hidden="true">
            └
          </span>
        )}
        {mark}
      </>
    );
  const rate = rateOf(members.length, Date.parse(timeOf(members[0]!)) - Date.parse(timeOf(members.at(-1)!)));
  return (
    <>
      {mark}
      <span class="group-sign">
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {texts.alike(number(members.length), rate)}
        <span class="unseen">{isOpen ? texts.openGroup : texts.closedGroup}</span>
      </span>
    </>
  );
}

/** How far back the list goes, and the way on. */
function Foot<T>({ pages, showOlder }: { pages: Pages<T>; showOlder: string | undefined }) {
  const { older, isLoadingOlder, olderError, lookedBackTo, data } = pages;
  if (!older) return null;
  return (
    <div class="list-foot">
      {olderError && <Failure error={olderError} retry={older} />}
      <button type="button" class="button plain" disabled={isLoadingOlder} onClick={older}>
        {isLoadingOlder ? texts.loading : showOlder}
      </button>
      {data && lookedBackTo !== null && <small class="quiet">{texts.lookedBackTo(<Time at={lookedBackTo} />)}</small>}
    </div>
  );
}
