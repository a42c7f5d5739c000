import { useEffect, useState } from 'preact/hooks';
import { admin, queryOf, reasonOf } from './admin.js';
import { useQuery } from './query.js';

/** A record that the server found. */
export interface FoundRecord {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly at: string;
  readonly on?: { readonly kind: string; readonly id: string };
}

interface Answer {
  readonly results: readonly FoundRecord[];
  readonly kinds: readonly { readonly kind: string; readonly looked_back_to: string | null; readonly next: string | null }[];
}

/** A search waits for a pause in typing. */
const PAUSE_MS = 120;
const SHOWN = 5;
const MORE = 20;

/** Searches the records of the platform while someone types. Each change of the text aborts the request for the previous one. */
export function useSearch(text: string) {
  const [asked, setAsked] = useState('');
  const [more, setMore] = useState<Answer>(NOTHING);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    setMore(NOTHING);
    setFailure(undefined);
    const timer = setTimeout(() => setAsked(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery<Answer>(asked === '' ? undefined : `/search${queryOf({ q: asked, limit: SHOWN })}`);
  const isCurrent = asked === text;
  const kinds = (isCurrent ? (data?.kinds ?? []) : []).map((one) => more.kinds.find(({ kind }) => kind === one.kind) ?? one);
  return {
    results: isCurrent ? [...(data?.results ?? []), ...more.results] : [],
    kinds,
    isSearching: text !== '' && !(isCurrent && (data !== undefined || error !== undefined)),
    failure: isCurrent ? (error?.message ?? failure) : undefined,
    /** Looks for older records of a kind. */
    async searchOn({ kind, next }: Answer['kinds'][number]): Promise<void> {
      try {
        const older = await admin<Answer>('GET', `/search${queryOf({ q: asked, kinds: kind, before: next ?? undefined, limit: MORE })}`);
        setMore(({ results, kinds: known }) => ({
          results: [...results, ...older.results],
          kinds: [...known.filter((one) => one.kind !== kind), ...older.kinds],
        }));
      } catch (error) {
        setFailure(reasonOf(error));
      }
    },
  };
}

const NOTHING: Answer = { results: [], kinds: [] };
