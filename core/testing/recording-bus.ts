import type { Announcement, EventBus, HandlerFailed } from '../ports/events.js';

interface Handler {
  readonly owner: string;
  readonly handle: (announcement: Announcement) => Promise<void> | void;
}

/** A bus that also keeps everything announced, as it was at that moment, and every failure of a handler. */
export class RecordingBus implements EventBus {
  readonly announced: Announcement[] = [];
  readonly failures: Parameters<HandlerFailed>[0][] = [];
  readonly #byName = new Set<Handler & { readonly name: string }>();
  readonly #everything = new Set<Handler>();

  async announce(announcement: Announcement): Promise<void> {
    const { name, payload } = announcement;
    this.announced.push(structuredClone(announcement));
    const hearing = [...this.#everything, ...[...this.#byName].filter((handler) => handler.name === name)];
    const running = hearing.map(async ({ owner, handle }) => {
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
    this.#byName.add(handler);
    return () => void this.#byName.delete(handler);
  }

  subscribeAll(owner: string, handle: (announcement: Announcement) => void): () => void {
    const handler = { owner, handle };
    this.#everything.add(handler);
    return () => void this.#everything.delete(handler);
  }

  /** The payloads of one event, in order. */
  payloads(name: string): unknown[] {
    return this.announced.filter((announcement) => announcement.name === name).map(({ payload }) => payload);
  }
}
