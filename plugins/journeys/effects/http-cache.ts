import type { Clock } from '#core';
import type { HttpAnswer } from '#core/areas';

/** Answers that may be used again for a while. */
export type HttpCache = ReturnType<typeof createHttpCache>;

const MAX_BYTES = 16 * 1024 * 1024;

export function createHttpCache({ clock }: { clock: Pick<Clock, 'now'> }) {
  const kept = new Map<string, { readonly answer: HttpAnswer; readonly until: number; readonly bytes: number }>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  return {
    get(key: string): HttpAnswer | undefined {
      const entry = kept.get(key);
      if (entry && entry.until > clock.now().getTime()) return entry.answer;
      forget(key);
      return undefined;
    },

    /** The oldest make room. */
    set(key: string, answer: HttpAnswer, forMs: number): void {
      forget(key);
      const entry = { answer, until: clock.now().getTime() + forMs, bytes: 2 * (key.length + (answer.body?.length ?? 0)) + 1000 };
      kept.set(key, entry);
      bytes += entry.bytes;
      for (const oldest of kept.keys()) {
        if (bytes <= MAX_BYTES) break;
        forget(oldest);
      }
    },
  };
}
