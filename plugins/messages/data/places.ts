import { setImmediate } from 'node:timers/promises';
import type { PluginContext } from '#core';
import { messages as messageRecords } from '#core/messaging';
import type { Export, ExportPosition } from './cursor.js';

/** Messages that are read at a time; other calls are served in between. */
const READ = 500;
/** Places that are found at a time and kept for the next pages. */
const MAX_FOUND = 20_000;
/** Exports whose next places are kept. */
const MAX_KEPT = 10;

/** The places of an export after one of its places, in order. */
interface Found {
  readonly after: ExportPosition | null;
  readonly places: readonly ExportPosition[];
  /** Whether more follow. */
  readonly isCut: boolean;
}

/** Finds the pages of exports. Many pages follow from one read of all messages, whose order in the store is that of no export. */
export function createPlaces({ store }: Pick<PluginContext, 'store'>) {
  const kept = new Map<string, Found>();

  /** The next places of an export, one more than a page has if there are more. */
  return async function nextPlaces(asked: Export): Promise<readonly ExportPosition[]> {
    const key = JSON.stringify([asked.number, asked.kind, asked.from, asked.until, asked.isDescending]);
    const known = kept.get(key);
    const next = (known && pageIn(known, asked)) ?? (await found(key, asked));
    return next.slice(0, asked.size + 1);
  };

  /** Undefined if the places that are kept end before the page does, or begin after it. */
  function pageIn({ after, places, isCut }: Found, asked: Export): readonly ExportPosition[] | undefined {
    const compare = orderOf(asked);
    if (after !== null && (asked.after === null || compare(asked.after, after) < 0)) return undefined;
    const start = asked.after === null ? 0 : places.findIndex((place) => compare(place, asked.after!) > 0);
    const page = start < 0 ? [] : places.slice(start, start + asked.size + 1);
    return isCut && page.length <= asked.size ? undefined : page;
  }

  async function found(key: string, asked: Export): Promise<readonly ExportPosition[]> {
    const compare = orderOf(asked);
    const { number, kind, from, until, after } = asked;
    const records = store.open(messageRecords);
    let places: ExportPosition[] = [];
    let isCut = false;
    const keepFirst = () => {
      isCut ||= places.length > MAX_FOUND;
      places = places.sort(compare).slice(0, MAX_FOUND);
    };
    for (let last = ''; ; ) {
      const read = await records.list({ after: last, limit: READ });
      for (const { uuid, number: owner, direction, type, timestamp, statuses } of read) {
        if (owner !== number || (direction === 'outbound' && type === 'system')) continue;
        const times = kind === 'messages' ? [timestamp] : statuses.map((status) => status.timestamp);
        for (const [n, time] of times.entries()) {
          const place = { at: Number(time), uuid, n };
          const isWithin = place.at * 1000 >= from && place.at * 1000 < until;
          if (isWithin && (after === null || compare(place, after) > 0)) places.push(place);
        }
      }
      if (read.length < READ) break;
      last = read.at(-1)!.uuid;
      if (places.length >= 2 * MAX_FOUND) keepFirst();
      await setImmediate();
    }
    keepFirst();
    kept.delete(key);
    kept.set(key, { after, places, isCut });
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
    return places;
  }
}

const orderOf =
  ({ isDescending }: Export) =>
  (a: ExportPosition, b: ExportPosition): number => {
    const order = a.at - b.at || (a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : a.n - b.n);
    return isDescending ? -order : order;
  };
