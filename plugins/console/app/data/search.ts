import { useEffect, useRef, useState } from 'preact/hooks';
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
  readonly line?: number;
}

interface KindOfAnswer {
  readonly kind: string;
  readonly looked_back_to: string | null;
  readonly next: string | null;
}

interface Answer {
  readonly is_id: boolean;
  readonly results: readonly FoundRecord[];
  readonly kinds: readonly KindOfAnswer[];
}

/** A search waits for a pause in typing. */
const PAUSE_MS = 120;
const SHOWN = 3;
const MORE = 20;
const ROUND_MS = 300;
const MAX_ROUNDS = 10;

/** Searches the records of the platform while the user types. Each change of the text aborts the request for the previous one. */
export function useSearch(text: string) {
  const [asked, setAsked] = useState('');
  const [more, setMore] = useState<Answer>(NOTHING);
  const [failure, setFailure] = useState<string>();
  const current = useRef({ text, rounds: 0 });
  useEffect(() => {
    current.current = { text, rounds: 0 };
    setMore(NOTHING);
    setFailure(undefined);
    const timer = setTimeout(() => setAsked(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useQuery<Answer>(asked === '' ? undefined : `/search${queryOf({ q: asked, limit: SHOWN })}`);
  const isCurrent = asked === text;
  const all = isCurrent ? [...(data?.results ?? []), ...more.results] : [];
  // Records of one time may be in two pages.
  const results = [...new Map(all.map((one) => [`${one.kind} ${one.id}`, one])).values()];
  const kinds = (isCurrent ? (data?.kinds ?? []) : []).map((one) => more.kinds.find(({ kind }) => kind === one.kind) ?? one);

  async function searchOn({ kind, next }: KindOfAnswer): Promise<void> {
    const ofText = current.current;
    try {
      const older = await admin<Answer>('GET', `/search${queryOf({ q: asked, kinds: kind, before: next ?? undefined, limit: MORE })}`);
      if (ofText !== current.current) return;
      setMore(({ results, kinds: known }) => ({
        ...NOTHING,
        results: [...results, ...older.results],
        kinds: [...known.filter((one) => one.kind !== kind), ...older.kinds],
      }));
    } catch (error) {
      if (ofText === current.current) setFailure(reasonOf(error));
    }
  }

  // A search ends after a short time. It continues by itself for kinds of which little was found.
  const unfinished = kinds.find(({ kind, next }) => next !== null && results.filter((one) => one.kind === kind).length < SHOWN);
  useEffect(() => {
    if (!unfinished || current.current.rounds >= MAX_ROUNDS) return;
    const timer = setTimeout(() => {
      current.current.rounds++;
      void searchOn(unfinished);
    }, ROUND_MS);
    return () => clearTimeout(timer);
  }, [asked, isCurrent, unfinished?.kind, unfinished?.next]);

  return {
    results,
    /** Whether the text is an id. */
    isId: isCurrent && data?.is_id === true,
    kinds,
    isSearching: text !== '' && !(isCurrent && (data !== undefined || error !== undefined)),
    failure: isCurrent ? (error?.message ?? failure) : undefined,
    /** Looks for older records of a kind. */
    searchOn,
  };
}

const NOTHING: Answer = { is_id: false, results: [], kinds: [] };
