import { useEffect, useRef, useState } from 'preact/hooks';
import { admin, CallFailed, queryOf } from '../../data/admin.js';
import { type Query, useQuery } from '../../data/query.js';
import type { ShownDelivery } from './records.js';

/** Deliveries per call. */
const PAGE = 100;

export type DeliveryFilters = Readonly<Partial<Record<'state' | 'webhook' | 'number' | 'message', string>>>;

interface Known extends Query<readonly ShownDelivery[]> {
  /** Loads older deliveries; undefined if there are none. */
  readonly older: (() => void) | undefined;
  readonly isLoadingOlder: boolean;
  readonly olderError: CallFailed | undefined;
}

/** The deliveries that match, newest first. New ones appear by themselves; older ones are loaded in pages. */
export function useDeliveries(filters: DeliveryFilters): Known {
  const query = queryOf({ ...filters, limit: PAGE });
  const { data, error, reload } = useQuery<{ deliveries: readonly ShownDelivery[] }>(`/deliveries${query}`, ['delivery.', 'state.']);
  const first = data?.deliveries;
  const [pages, setPages] = useState<{ query: string; list: readonly ShownDelivery[]; isEnd: boolean }>({ query, list: [], isEnd: false });
  const [isLoading, setLoading] = useState(false);
  const [olderError, setOlderError] = useState<CallFailed | undefined>(undefined);
  const own = pages.query === query ? pages : { query, list: [], isEnd: false };
  const current = useRef(query);
  current.current = query;

  // The newest page moves on: what leaves it is kept, unless so many deliveries came that there is a gap.
  useEffect(() => {
    if (!first) return;
    setPages((before) => {
      const known = before.query === query ? before : { query, list: [], isEnd: false };
      const fresh = new Set(first.map(({ uuid }) => uuid));
      const joins = known.list.length > 0 && known.list.some(({ uuid }) => fresh.has(uuid));
      const rest = joins ? known.list.filter(({ uuid }) => !fresh.has(uuid)) : [];
      // A delivery that no longer matches the filter, or was evicted, is not kept.
      const oldest = first.at(-1)?.created_at ?? '';
      const kept = first.length < PAGE ? [] : rest.filter(({ created_at: at }) => at <= oldest);
      return { query, list: [...first, ...kept], isEnd: first.length < PAGE || (joins && known.isEnd) };
    });
  }, [first, query]);

  const older = async (): Promise<void> => {
    setLoading(true);
    setOlderError(undefined);
    try {
      const path = `/deliveries${queryOf({ ...filters, limit: PAGE, after: own.list.at(-1)!.uuid })}`;
      const { deliveries } = await admin<{ deliveries: readonly ShownDelivery[] }>('GET', path);
      if (current.current !== query) return;
      setPages((before) => {
        const known = new Set(before.list.map(({ uuid }) => uuid));
        return {
          query,
          list: [...before.list, ...deliveries.filter(({ uuid }) => !known.has(uuid))],
          isEnd: deliveries.length < PAGE,
        };
      });
    } catch (failure) {
      setOlderError(failure instanceof CallFailed ? failure : new CallFailed(String(failure), 0, undefined));
    } finally {
      setLoading(false);
    }
  };

  return {
    data: first && (own.list.length > 0 ? own.list : first),
    error,
    reload,
    older: own.isEnd || own.list.length === 0 ? undefined : () => void older(),
    isLoadingOlder: isLoading,
    olderError,
  };
}
