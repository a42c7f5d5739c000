import { setImmediate as breathe } from 'node:timers/promises';
import type { Found, SearchBounds, SearchPage, SearchPlace, SearchQuery, SearchSource } from '../../contract/search.js';
import { isAfter } from './newest-texts.js';

/** A search of all kinds ends after this time, so that the first results are there within 100 ms. Each kind has at least the second time. */
const SEARCH_MS = 50;
const KIND_MS = 4;
/** Other work of the process runs after this time. */
const SLICE_MS = 4;
/** An id has a digit. A shorter one, or a word, is more likely a part of a text. */
const ID = /^(?=\D*\d)\S{4,}$/;

export type Asked = Pick<SearchBounds, 'limit' | 'before' | 'sees' | 'may'>;

/** The results of a kind, and the place after which the search has not looked. */
export interface SearchedKind extends SearchPage {
  readonly kind: string;
}

/** Searches the kinds one after another, so that only one of them works at a time. */
export async function search(
  sources: readonly SearchSource[],
  { query, id, ...asked }: Asked & { readonly query: SearchQuery; readonly id: string },
): Promise<{ readonly isId: boolean; readonly kinds: readonly SearchedKind[] }> {
  const began = performance.now();
  const bounds = (): SearchBounds => boundsOf(asked, Math.max(began + SEARCH_MS, performance.now() + KIND_MS));
  if (ID.test(id) && !asked.before) {
    const named: SearchedKind[] = [];
    for (const { kind, byId } of sources) named.push({ kind, found: ((await byId?.(id, bounds())) ?? []).filter(asked.sees) });
    if (named.some(({ found }) => found.length > 0)) return { isId: true, kinds: named };
  }
  const results = new Map<SearchSource, SearchedKind>();
  for (const source of sources.toSorted((a, b) => Number(a.isLarge ?? false) - Number(b.isLarge ?? false))) {
    const { found, rest } = await source.find(query, bounds());
    // Again, because the source may be that of a plugin.
    results.set(source, { kind: source.kind, found: found.filter(asked.sees), rest });
  }
  return { isId: false, kinds: sources.map((source) => results.get(source)!) };
}

function boundsOf(asked: Asked, until: number): SearchBounds {
  const { limit, before } = asked;
  const isNext = (place: SearchPlace): boolean => !before || isAfter(place, before);
  let resumed = performance.now();
  return {
    ...{ ...asked, isNext },
    async goOn() {
      if (performance.now() - resumed > SLICE_MS) {
        await breathe();
        resumed = performance.now();
      }
      return performance.now() < until;
    },
    page(all, rest) {
      const shown = all.filter(isNext).sort((a, b) => (isAfter(a, b) ? 1 : -1));
      return shown.length > limit ? { found: shown.slice(0, limit), rest: placeOf(shown[limit - 1]!) } : { found: shown, rest };
    },
  };
}

/**
 * Searches the texts of records that are in the order of their creation, newest first. Within a millisecond their ids are not: it ends only between two.
 */
export async function foundAmong<T>(
  records: AsyncIterable<T> | Iterable<T>,
  { excerptOf }: SearchQuery,
  bounds: SearchBounds,
  of: (record: T) => { readonly one: Found; readonly text: () => string | Promise<string> },
): Promise<SearchPage> {
  const found: Found[] = [];
  let [at, isOver] = ['', false];
  for await (const record of records) {
    const { one, text } = of(record);
    if (isOver && one.at !== at) return bounds.page(found, { at, id: '' });
    at = one.at;
    const excerpt = bounds.isNext(one) && bounds.sees(one) ? excerptOf(await text()) : undefined;
    if (excerpt !== undefined) found.push({ ...one, text: excerpt });
    isOver = !(await bounds.goOn()) || found.length > bounds.limit;
  }
  return bounds.page(found);
}

export const placeOf = ({ at, id }: Found): SearchPlace => ({ at, id });
