/** The port of the event bus, and how an event is declared. */

import type { Lane } from './queue.js';

/** An event type, named `noun.past`. Payloads are plain JSON, because the event stream sends them too. */
export interface EventType<T> {
  readonly name: string;
  /** One sentence for the generated table of events. */
  readonly description: string;
  /** Selects the part of the payload that the event stream shows; the whole payload if not given. Handlers receive the whole payload. */
  readonly shows?: (payload: T) => unknown;
  /**
   * Set if nothing can change a payload any more: its approximate size in bytes. The event stream then serializes the payload only when a
   * client reads it.
   */
  readonly immutableBytes?: (payload: T) => number;
  /** Set for an event about a call to an endpoint: how it went. Undefined for a payload that tells nothing about the endpoint. */
  readonly outcome?: (payload: T) => Announcement['outcome'];
  /** Set for an event that charts mark, because it may explain them. Undefined for a payload that explains nothing. */
  readonly mark?: (payload: T) => Announcement['mark'];
}

/** Declares an event: `event<StatusChange>('message.status', 'A status of a sent message was reported.')`. */
export const event = <T>(
  name: string,
  description: string,
  options: Pick<EventType<T>, 'shows' | 'immutableBytes' | 'outcome' | 'mark'> = {},
): EventType<T> => ({
  name,
  description,
  ...options,
});

/** An emitted event, as handlers and the event stream receive it. */
export interface Announcement {
  readonly name: string;
  readonly payload: unknown;
  /** The payload as the event stream shows it. */
  readonly shown: unknown;
  /** The approximate size of an immutable payload. */
  readonly immutableBytes?: number | undefined;
  /** How a call to an endpoint of a number went: `endpoint` is the uuid of the webhook or integration, or of the number for its service. */
  readonly outcome?:
    | {
        readonly endpoint: string;
        readonly number: string;
        readonly ok: boolean;
        /** Until the response; undefined without one. */
        readonly ms?: number | undefined;
        /** The lane of the attempt of a delivery. */
        readonly lane?: Lane | undefined;
        /** Why it failed, in one word such as `refused` or `http_500`. */
        readonly code?: string | undefined;
        readonly status?: number | undefined;
        readonly delivery?: string | undefined;
      }
    | undefined;
  /** Charts mark it with a short text such as `Paused`. `endpoint` is the one that it is about; the whole platform if not given. */
  readonly mark?:
    | {
        readonly kind: 'start' | 'pause' | 'resume' | 'fault' | 'clock';
        readonly text: string;
        readonly endpoint?: string;
        readonly number?: string;
      }
    | undefined;
}

/** Publishes events to subscribers in this process. Events are not stored: use a queue for work that must happen. */
export interface EventBus {
  /** Resolves when every handler has finished. A failing handler is reported to `HandlerFailed` and does not affect the others. */
  announce(announcement: Announcement): Promise<unknown>;
  /** @returns a function that ends the subscription */
  subscribe(owner: string, name: string, handle: (payload: unknown) => Promise<void> | void): () => void;
  /** Receives every event, in the order of announcement. */
  subscribeAll(owner: string, handle: (announcement: Announcement) => void): () => void;
}

/** Receives the failures of handlers. */
export type HandlerFailed = (failure: { owner: string; event: string; payload: unknown; error: unknown }) => void;
