import type { Clock } from '#core';
import type { HttpAnswer } from '../engine/effect.js';

/** Caches responses for the requests of journeys until the responses expire. Holds at most 16 MiB in memory; evicts the oldest response first. */
export type HttpCache = ReturnType<typeof createHttpCache>;

const MAX_BYTES = 16 * 1024 * 1024;

export function createHttpCache({ clock }: { clock: Pick<Clock, 'now'> }) {
  const entries = new Map<string, { readonly answer: HttpAnswer; readonly until: number; readonly bytes: number }>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(key: string): HttpAnswer | undefined {
      const entry = entries.get(key);
      if (entry && entry.until > clock.now().getTime()) return entry.answer;
      remove(key);
      return undefined;
    },

    set(key: string, answer: HttpAnswer, forMs: number): void {
      remove(key);
      const entry = { answer, until: clock.now().getTime() + forMs, bytes: 2 * (key.length + (answer.body?.length ?? 0)) + 1000 };
      entries.set(key, entry);
      bytes += entry.bytes;
      for (const oldest of entries.keys()) {
        if (bytes <= MAX_BYTES) break;
        remove(oldest);
      }
    },
  };
}
