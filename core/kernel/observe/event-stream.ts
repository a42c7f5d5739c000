import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import type { Announcement } from '../../ports/events.js';
import type { Logger } from '../../ports/logger.js';

export interface StreamedEvent {
  /** `<run>-<number>`: the number increases by one; a reader recognizes ids of an earlier run of the process. */
  readonly id: string;
  readonly at: string;
  readonly name: string;
  readonly data: unknown;
}

/** A client's position in the stream. It stores no events itself. */
export interface EventReader {
  /** Whether events between the requested position and the first one available were evicted. */
  readonly hasGap: boolean;
  /** Whether the next event was evicted. */
  isLost(): boolean;
  /** How many events the reader has not read yet. */
  unread(): number;
  /** The next event; undefined when there is none yet. */
  next(): StreamedEvent | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** The stream may take Node's heap limit divided by this. */
const HEAP_DIVISOR = 64;

/** How many events, and how many bytes of them, the stream retains for clients that reconnect. */
export const retentionLimits = (heapBytes: number) => ({ events: 5_000, bytes: Math.min(MAX_BYTES, heapBytes / HEAP_DIVISOR) });

export type EventStream = ReturnType<typeof createEventStream>;

/** Without the admin API no client can request past events. */
export const RETAIN_NOTHING = { events: 0, bytes: 0 } as const;

/** Creates a stream of events that retains the newest, so that a client that reconnects continues after its last event. */
export function createEventStream({
  clock,
  log,
  limits = { events: 5_000, bytes: MAX_BYTES },
}: {
  clock: Clock;
  log: Pick<Logger, 'error'>;
  limits?: { readonly events: number; readonly bytes: number };
}) {
  // Not from the Ids port: with seeded ids two runs would get the same name.
  const run = randomBytes(6).toString('hex');
  const key = randomBytes(16);
  const retained: RetainedEvent[] = [];
  const listeners = new Set<(event: StreamedEvent) => void>();
  let bytes = 0;
  let last = 0;
  const first = (): number => last - retained.length + 1;

  return {
    append({ name, shown, immutableBytes: bytes }: Announcement): void {
      if (limits.events === 0 && listeners.size === 0) {
        last++;
        return;
      }
      const at = clock.now().getTime();
      if (bytes !== undefined) retain({ at, name, bytes, json: undefined, shown });
      else {
        const json = JSON.stringify(shown ?? null);
        retain({ at, name, bytes: json.length, json, shown: undefined });
      }
      if (listeners.size === 0) return;
      const event = { id: `${run}-${last}`, at: new Date(at).toISOString(), name, data: shown };
      for (const listen of listeners) {
        try {
          listen(event);
        } catch (error) {
          log.error('a listener of the event stream failed; the others still receive the event', { event: name, error });
        }
      }
    },

    /** Starts after the event with this id, or with the next event; after an unknown id, with the oldest retained event. */
    reader(after?: string): EventReader {
      const known = after === undefined ? last : numberOf(after);
      let position = known === undefined ? first() : known + 1;
      const hasGap = known === undefined || position < first();
      if (hasGap) position = first();
      return {
        hasGap,
        isLost: () => position < first(),
        unread: () => last - position + 1,
        next() {
          const one = retained[position - first()];
          return one && streamed(one, position++);
        },
      };
    },

    /** The id for a client that must not learn how many events there are: the number is encrypted. */
    sealed(id: string): string {
      const block = Buffer.alloc(16);
      block.writeBigUInt64BE(BigInt(numberOf(id)!), 8);
      return `${run}-x${createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block).toString('hex')}`;
    },

    isSealed: (id: string | undefined): boolean => id?.includes('-x') === true,

    /** Removes the content of retained events whose JSON the condition selects. Their places in the order remain. */
    forget(mentions: (json: string) => boolean): void {
      for (const [i, one] of retained.entries()) {
        if (!mentions(one.json ?? JSON.stringify(one.shown ?? null))) continue;
        bytes -= sizeOf(one);
        retained[i] = { at: one.at, name: ERASED_EVENT, bytes: 2, json: '{}', shown: undefined };
        bytes += sizeOf(retained[i]);
      }
    },

    listen(listener: (event: StreamedEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  function retain(one: RetainedEvent): void {
    retained.push(one);
    last++;
    bytes += sizeOf(one);
    while (retained.length > limits.events || (bytes > limits.bytes && retained.length > 1)) bytes -= sizeOf(retained.shift()!);
  }

  function streamed({ at, name, json, shown }: RetainedEvent, number: number): StreamedEvent {
    return { id: `${run}-${number}`, at: new Date(at).toISOString(), name, data: json === undefined ? shown : JSON.parse(json) };
  }

  /** The number in an id that this run issued; undefined for other ids. */
  function numberOf(id: string): number | undefined {
    const [, ofRun, digits, sealed] = /^([0-9a-f]+)-(?:(\d{1,15})|x([0-9a-f]{32}))$/.exec(id) ?? [];
    const number = sealed === undefined ? Number(digits) : opened(sealed);
    return ofRun === run && number <= last ? number : undefined;
  }

  function opened(sealed: string): number {
    const block = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(Buffer.from(sealed, 'hex'));
    return Number(block.readBigUInt64BE(0) === 0n ? block.readBigUInt64BE(8) : Number.NaN);
  }
}

/**
 * A retained event; its number follows from its index. Most are JSON: a third of the heap of the objects, and without references to others.
 * Immutable payloads stay objects, because most are never read.
 */
interface RetainedEvent {
  readonly at: number;
  readonly name: string;
  /** An estimate: V8 stores a text with any character beyond Latin-1 in two bytes each. */
  readonly bytes: number;
  readonly json: string | undefined;
  readonly shown: unknown;
}

/** The name of a past event about a contact that was erased since. */
const ERASED_EVENT = 'erased';

/** Heap of a retained event without its data. */
const EVENT_BYTES = 100;

const sizeOf = ({ name, bytes }: RetainedEvent): number => EVENT_BYTES + name.length + bytes;
