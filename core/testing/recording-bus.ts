import type { Announcement, EventBus, HandlerFailed } from '../ports/events.js';

interface Handler {
  readonly owner: string;
  readonly handle: (announcement: Announcement) => Promise<void> | void;
}

/** An event bus that also records every event, copied when announced, and every failure of a handler. */
export class RecordingBus implements EventBus {
  readonly announced: Announcement[] = [];
  readonly failures: Parameters<HandlerFailed>[0][] = [];
  readonly #handlers = new Set<Handler & { readonly name: string }>();
  readonly #catchAll = new Set<Handler>();

  async announce(announcement: Announcement): Promise<void> {
    const { name, payload } = announcement;
    this.announced.push(structuredClone(announcement));
    const receivers = [...this.#catchAll, ...[...this.#handlers].filter((handler) => handler.name === name)];
    const running = receivers.map(async ({ owner, handle }) => {
      try {
        await handle(announcement);
      } catch (error) {
        this.failures.push({ owner, event: name, payload, error });
      }
    });
    await Promise.all(running);
  }

  subscribe(owner: string, name: string, handle: (payload: unknown) => Promise<void> | void): () => void {
    const handler = { owner, name, handle: ({ payload }: Announcement) => handle(payload) };
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  subscribeAll(owner: string, handle: (announcement: Announcement) => void): () => void {
    const handler = { owner, handle };
    this.#catchAll.add(handler);
    return () => void this.#catchAll.delete(handler);
  }

  /** The payloads of one event, in order. */
  payloads(name: string): unknown[] {
    return this.announced.filter((announcement) => announcement.name === name).map(({ payload }) => payload);
  }
}
