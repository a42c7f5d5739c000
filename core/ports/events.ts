/** The port of the event bus, and how an event is declared. */

/** Something that happened, named `noun.past`. The payload is plain JSON, as it also goes to the event stream. */
export interface EventType<T> {
  readonly name: string;
  /** One sentence for the generated table of events. */
  readonly description: string;
  /** What the event stream shows of it; everything if not given. Handlers always get the whole. */
  readonly shows?: (payload: T) => unknown;
}

/** Declares an event: `event<StatusChange>('message.status', 'A status of a sent message was reported.')`. */
export const event = <T>(name: string, description: string, options: Pick<EventType<T>, 'shows'> = {}): EventType<T> => ({
  name,
  description,
  ...options,
});

/** An event as everybody hears it. */
export interface Announcement {
  readonly name: string;
  readonly payload: unknown;
  /** What the event stream shows. */
  readonly shown: unknown;
}

/** Carries announcements to whoever subscribes, in this process. They are not kept: what must happen belongs in a queue. */
export interface EventBus {
  /** Resolves when every handler has ended; a handler's failure is reported to `onFailure` and isolated from the others. */
  announce(announcement: Announcement): Promise<void>;
  /** @returns ends the subscription */
  subscribe(owner: string, name: string, handle: (payload: unknown) => Promise<void> | void): () => void;
  /** Hears every event, in the order of announcement. */
  subscribeAll(owner: string, handle: (announcement: Announcement) => void): () => void;
}

/** Where a bus reports the failure of a handler. */
export type HandlerFailed = (failure: { owner: string; event: string; payload: unknown; error: unknown }) => void;
