import type { Clock } from '../ports/clock.js';
import type { Announcement } from '../ports/events.js';

/** An event as it is streamed. */
export interface StreamedEvent {
  /** Grows within one run of the platform; an id of an earlier run is recognised as such. */
  readonly id: string;
  readonly at: string;
  readonly name: string;
  readonly data: unknown;
}

const KEPT_EVENTS = 5_000;
const KEPT_BYTES = 16 * 1024 * 1024;

/** Keeps the newest events, so that a listener who was away can go on where it stopped. */
export type EventStream = ReturnType<typeof createEventStream>;

export function createEventStream({ clock }: { clock: Clock }) {
  const run = Math.floor(performance.timeOrigin).toString(36);
  const kept: { event: StreamedEvent; number: number; bytes: number }[] = [];
  const listeners = new Set<(event: StreamedEvent) => void>();
  let bytes = 0;
  let last = 0;

  return {
    append({ name, shown }: Announcement): void {
      const number = ++last;
      const event: StreamedEvent = { id: `${run}-${number}`, at: clock.now().toISOString(), name, data: shown };
      const size = JSON.stringify(event).length;
      kept.push({ event, number, bytes: size });
      bytes += size;
      while (kept.length > KEPT_EVENTS || (bytes > KEPT_BYTES && kept.length > 1)) bytes -= kept.shift()!.bytes;
      for (const listen of listeners) listen(event);
    },

    /** What happened after the event with this id, and whether something in between is not kept any more. */
    since(id: string): { events: StreamedEvent[]; gap: boolean } {
      const [ofRun, text = ''] = id.split('-');
      const number = Number(text);
      if (ofRun !== run || !Number.isSafeInteger(number) || number > last) return { events: kept.map(({ event }) => event), gap: true };
      const events = kept.filter((entry) => entry.number > number).map(({ event }) => event);
      return { events, gap: (kept[0]?.number ?? last + 1) > number + 1 };
    },

    /** @returns ends listening */
    listen(listener: (event: StreamedEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
