import { randomBytes } from 'node:crypto';
import type { Clock } from '../ports/clock.js';
import type { Announcement } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';

/** An event as it is streamed. */
export interface StreamedEvent {
  /** Grows within one run of the platform; an id of another run is recognised as such. */
  readonly id: string;
  readonly at: string;
  readonly name: string;
  readonly data: unknown;
}

/** Somebody's place in the stream. It holds no events itself. */
export interface EventReader {
  /** Something between the event it was to go on from and its first is not kept any more. */
  readonly hasGap: boolean;
  /** What comes next is not kept any more. */
  isLost(): boolean;
  /** The next event, if there is one already. */
  next(): StreamedEvent | undefined;
}

const KEPT = { events: 5_000, bytes: 16 * 1024 * 1024 } as const;

export type EventStream = ReturnType<typeof createEventStream>;

/** What is kept where nobody can ask for it later. */
export const NOTHING_KEPT = { events: 0, bytes: 0 } as const;

/** Keeps the newest events, so that a reader who was away can go on where it stopped. */
export function createEventStream({
  clock,
  log,
  kept: limits = KEPT,
}: {
  clock: Clock;
  log: Pick<Logger, 'error'>;
  kept?: { readonly events: number; readonly bytes: number };
}) {
  // Not from Ids: seeded ones would call two runs the same.
  const run = randomBytes(6).toString('hex');
  const kept: Kept[] = [];
  const listeners = new Set<(event: StreamedEvent) => void>();
  let bytes = 0;
  let last = 0;
  const first = (): number => last - kept.length + 1;

  return {
    append({ name, shown }: Announcement): void {
      if (limits.events === 0 && listeners.size === 0) {
        last++;
        return;
      }
      const one: Kept = { at: clock.now().getTime(), name, data: shown, bytes: EVENT_BYTES + name.length + weightOf(shown) };
      kept.push(one);
      last++;
      bytes += one.bytes;
      while (kept.length > limits.events || (bytes > limits.bytes && kept.length > 1)) bytes -= kept.shift()!.bytes;
      if (listeners.size === 0) return;
      const event = streamed(one, last);
      for (const listen of listeners) {
        try {
          listen(event);
        } catch (error) {
          log.error('a listener failed; the others hear the event all the same', { event: name, error });
        }
      }
    },

    /** Goes on after the event with this id, or from now. After an id that is not known, with all that is kept. */
    reader(after?: string): EventReader {
      const known = after === undefined ? last : numberOf(after);
      let position = known === undefined ? first() : known + 1;
      const hasGap = known === undefined || position < first();
      if (hasGap) position = first();
      return {
        hasGap,
        isLost: () => position < first(),
        next() {
          const one = kept[position - first()];
          return one && streamed(one, position++);
        },
      };
    },

    /** @returns ends listening */
    listen(listener: (event: StreamedEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  /** Put together when somebody asks: most events nobody asks for. */
  function streamed({ at, name, data }: Kept, number: number): StreamedEvent {
    return { id: `${run}-${number}`, at: new Date(at).toISOString(), name, data };
  }

  /** The number in an id of this run, if it has been given out. */
  function numberOf(id: string): number | undefined {
    const [, ofRun, digits] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? [];
    return ofRun === run && Number(digits) <= last ? Number(digits) : undefined;
  }
}

/** An event as it is kept; its number follows from its place. */
interface Kept {
  readonly at: number;
  readonly name: string;
  readonly data: unknown;
  readonly bytes: number;
}

/** What an event takes without its data, and what stands around a name and its value. */
const EVENT_BYTES = 100;
const FIELD_BYTES = 8;

/** About how long a value is as JSON, without making the JSON. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let weight = 0;
  for (const name in value) {
    const held = (value as Record<string, unknown>)[name];
    weight += FIELD_BYTES + name.length;
    // Not left to the call below: most values are texts, and every event comes by here.
    weight += typeof held === 'string' ? held.length : weightOf(held);
  }
  return weight;
}
