import type { ComponentChildren } from 'preact';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { controlOf } from '../data/operator.js';
import { ExportMenu } from './export-menu.js';
import { Draw } from './icons.js';
import { List } from './list.js';
import { Empty } from './status.js';
import { texts } from './texts.js';

const ROW_PX = 56;

interface RecordListProps<T> {
  /** Such as `number`, which is at `/numbers/<id>`. */
  readonly noun: string;
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
  /** The text that the filter looks into. */
  readonly searchedText: (item: T) => string;
  /** The fields that the filter looks into, such as `Name or address`. */
  readonly fields: string;
  readonly selected: string | undefined;
  /** The part of the address that links keep, such as `?text=demo`. */
  readonly query: string;
  readonly row: (item: T) => ComponentChildren;
  /** A sentence on what such a record is, for a platform that has none. */
  readonly about: string;
}

/** The records of a page such as Numbers: a filter whose words are in the address, a link to a new one, and a row for each. */
export function RecordList<T>({ noun, items, idOf, searchedText, fields, selected, query, row, about }: RecordListProps<T>) {
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const text = search.get('text') ?? '';
  const plural = `${noun}s`;
  const creation = controlOf({ method: 'POST', path: `/${plural}` });
  const title = texts.records(noun);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = items.filter((item) => words.every((word) => searchedText(item).toLowerCase().includes(word)));
  return (
    <>
      <div class="list-head">
        <div class="head">
          <p class="page-title" aria-hidden="true">
            {title}
          </p>
          {shown.length > 0 && (
            <ExportMenu
              exports={[
                {
                  id: 'csv',
                  label: 'CSV',
                  note: texts.forSpreadsheets,
                  run: async () => (await import('../exports/records.js')).saveRecords(plural, shown),
                },
              ]}
            />
          )}
          {creation.disabled ? (
            <button type="button" class="button outlined" {...creation}>
              <Draw name="plus" /> {texts.new(noun)}
            </button>
          ) : (
            <Link href={`/${plural}/new${query}`} class="button outlined">
              <Draw name="plus" /> {texts.new(noun)}
            </Link>
          )}
        </div>
        <input
          class="input"
          type="search"
          data-filter
          aria-label={texts.filter(noun)}
          placeholder={fields}
          value={text}
          onInput={({ currentTarget }) => setSearch(currentTarget.value === '' ? {} : { text: currentTarget.value }, { replace: true })}
        />
      </div>
      <List
        label={title}
        items={shown}
        keyOf={idOf}
        rowHeight={ROW_PX}
        selected={selected}
        select={(id) => navigate(`/${plural}/${id}${query}`, { replace: selected !== undefined })}
        row={row}
        empty={
          items.length === 0 ? (
            <Empty title={texts.noYet(noun)}>
              <p>{about}</p>
              <p>
                <Link href={`/${plural}/new`}>{texts.createTheFirst(noun)}</Link>
              </p>
            </Empty>
          ) : (
            <Empty title={texts.noMatches(noun)}>
              <button type="button" class="button outlined" onClick={() => setSearch({})}>
                {texts.showAll(noun)}
              </button>
            </Empty>
          )
        }
      />
    </>
  );
}

/** The page of an id that no record has. */
export const NoSuchRecord = ({ noun, back }: { noun: string; back: string }) => (
  <Empty title={texts.thereIsNoSuch(noun)}>
    <p>{texts.itMayHaveBeenIn}</p>
    <Link href={back}>{texts.allS(noun)}</Link>
  </Empty>
);
