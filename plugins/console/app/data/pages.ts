import { useEffect, useRef, useState } from 'preact/hooks';
import { admin, CallFailed, queryOf } from './admin.js';
import type { Filters } from './filters.js';
import { type Query, useQuery } from './query.js';

/** Records per call. */
const PAGE = 100;
/** With fewer, older ones are looked for without a click, in a few rounds only: a filter may match nothing. */
const ENOUGH = 20;
const MAX_ROUNDS = 5;
const ROUND_MS = 200;

/** A list of the admin API whose response says how far back it has looked. */
export interface Source<T> {
  /** Below `/admin/v1`, such as `/deliveries`; the response has the list under the same name. */
  readonly path: '/calls' | '/deliveries' | '/contacts';
  readonly filters: Filters;
  readonly keyOf: (item: T) => string;
  readonly timeOf: (item: T) => string;
}

/** A response of such a list. */
export interface Page {
  readonly looked_back_to: string | null;
  readonly next: string | null;
}

export interface Pages<T> extends Query<readonly T[]> {
  /** Looks for older records; undefined if all were looked at. */
  readonly older: (() => void) | undefined;
  readonly isLoadingOlder: boolean;
  readonly olderError: CallFailed | undefined;
  /** Older records were not looked at; null if all were. */
  readonly lookedBackTo: string | null;
}

interface Known<T> extends Page {
  readonly query: string;
  readonly list: readonly T[];
}

/** The path of a page, `before` being the `next` of an earlier one. */
export const pagePath = ({ path, filters }: Pick<Source<unknown>, 'path' | 'filters'>, limit: number, before?: string): string =>
  `${path}${queryOf({ ...filters, ...(path === '/calls' && { contents: false }), limit, ...(before !== undefined && { before }) })}`;

export const listOf = <T>(page: object, path: Source<T>['path']): readonly T[] => (page as Record<string, readonly T[]>)[path.slice(1)]!;

/** The records that match, newest first. New ones appear by themselves; older ones are loaded in pages. */
export function usePages<T>(source: Source<T>, on: readonly string[]): Pages<T> {
  const { path, keyOf, timeOf } = source;
  const query = pagePath(source, PAGE);
  const { data: first, error, reload } = useQuery<Page>(query, on);
  const [pages, setPages] = useState<Known<T>>(nothing(query));
  const [isLoading, setLoading] = useState(false);
  const [olderError, setOlderError] = useState<CallFailed | undefined>(undefined);
  const current = useRef({ query, rounds: 0 });
  if (current.current.query !== query) current.current = { query, rounds: 0 };

  // The newest page moves on: what leaves it is kept, unless so many records came that there is a gap.
  useEffect(() => {
    if (!first) return;
    const fresh = listOf<T>(first, path);
    setPages((before) => {
      const keys = new Set(fresh.map(keyOf));
      const joins = before.query === query && before.list.some((item) => keys.has(keyOf(item)));
      if (!joins || first.looked_back_to === null) return { ...first, query, list: fresh };
      // A record that no longer matches the filter, or was evicted, is not kept.
      const kept = before.list.filter((item) => !keys.has(keyOf(item)) && timeOf(item) <= first.looked_back_to!);
      const { looked_back_to, next } = kept.length > 0 ? before : first;
      return { query, list: [...fresh, ...kept], looked_back_to, next };
    });
  }, [first, query]);

  const own = pages.query === query ? pages : { ...nothing<T>(query), ...first, list: first ? listOf<T>(first, path) : [] };
  const older = async (): Promise<void> => {
    setLoading(true);
    setOlderError(undefined);
    try {
      const page = await admin<Page>('GET', pagePath(source, PAGE, own.next!));
      if (current.current.query !== query) return;
      setPages((before) => {
        const known = new Set(before.list.map(keyOf));
        const { looked_back_to, next } = page;
        return { query, list: [...before.list, ...listOf<T>(page, path).filter((item) => !known.has(keyOf(item)))], looked_back_to, next };
      });
    } catch (failure) {
      setOlderError(failure instanceof CallFailed ? failure : new CallFailed(String(failure), 0, undefined));
    } finally {
      setLoading(false);
    }
  };
  const isShort = own.next !== null && own.list.length < ENOUGH && pages.query === query && !isLoading && !olderError;
  useEffect(() => {
    if (!isShort || current.current.rounds >= MAX_ROUNDS) return;
    const timer = setTimeout(() => {
      current.current.rounds++;
      void older();
    }, ROUND_MS);
    return () => clearTimeout(timer);
  }, [isShort, own.next]);

  return {
    data: first && own.list,
    error,
    reload,
    older: own.next === null ? undefined : () => void older(),
    isLoadingOlder: isLoading,
    olderError,
    lookedBackTo: own.looked_back_to,
  };
}

const nothing = <T>(query: string): Known<T> => ({ query, list: [], looked_back_to: null, next: null });
