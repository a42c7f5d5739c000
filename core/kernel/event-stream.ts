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

const MAX_BYTES = 16 * 1024 * 1024;
/** Of the heap that Node may use: one in so many parts. */
const SHARE = 64;

/** What is kept for readers who were away: 5,000 events, or fewer where they are large. */
export const keptWithin = (heapBytes: number) => ({ events: 5_000, bytes: Math.min(MAX_BYTES, heapBytes / SHARE) });

export type EventStream = ReturnType<typeof createEventStream>;

/** What is kept where nobody can ask for it later. */
export const NOTHING_KEPT = { events: 0, bytes: 0 } as const;

/** Keeps the newest events, so that a reader who was away can go on where it stopped. */
export function createEventStream({
  clock,
  log,
  kept: limits = { events: 5_000, bytes: MAX_BYTES },
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
      const at = clock.now().getTime();
      keep({ at, name, json: JSON.stringify(shown ?? null) });
      if (listeners.size === 0) return;
      const event = { id: `${run}-${last}`, at: new Date(at).toISOString(), name, data: shown };
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

  function keep(one: Kept): void {
    kept.push(one);
    last++;
    bytes += sizeOf(one);
    while (kept.length > limits.events || (bytes > limits.bytes && kept.length > 1)) bytes -= sizeOf(kept.shift()!);
  }

  function streamed({ at, name, json }: Kept, number: number): StreamedEvent {
    return { id: `${run}-${number}`, at: new Date(at).toISOString(), name, data: JSON.parse(json) };
  }

  /** The number in an id of this run, if it has been given out. */
  function numberOf(id: string): number | undefined {
    const [, ofRun, digits] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? [];
    return ofRun === run && Number(digits) <= last ? Number(digits) : undefined;
  }
}

/** An event as it is kept; its number follows from its place. As JSON it takes a third of what its objects would, and nothing else is held on to. */
interface Kept {
  readonly at: number;
  readonly name: string;
  readonly json: string;
}

/** What an event takes without its data. */
const EVENT_BYTES = 100;

/** In characters: an event with any beyond Latin-1 takes twice as many bytes. */
const sizeOf = ({ name, json }: Kept): number => EVENT_BYTES + name.length + json.length;
