import { EventEmitter } from 'eventemitter3';
import type { Announcement, EventBus, HandlerFailed } from '../ports/events.js';

type Listener = (announcement: Announcement, running: Promise<void>[]) => void;

/** Subscribers to all events have their own emitter, so that no event name can collide with this one. */
const EVERYTHING = 'everything';
const NOTHING_RUNS = Promise.resolve();

/** An in-process event bus. The emitter drops return values, so each listener adds its promise to the event's arguments. */
export class EmitterBus implements EventBus {
  readonly #byName = new EventEmitter<Record<string, Listener>>();
  readonly #everything = new EventEmitter<Record<typeof EVERYTHING, Listener>>();
  readonly #onFailure: HandlerFailed;

  constructor(onFailure: HandlerFailed) {
    this.#onFailure = onFailure;
  }

  announce(announcement: Announcement): Promise<unknown> {
    const running: Promise<void>[] = [];
    this.#everything.emit(EVERYTHING, announcement, running);
    this.#byName.emit(announcement.name, announcement, running);
    return running.length > 0 ? Promise.all(running) : NOTHING_RUNS;
  }

  subscribe(owner: string, name: string, handle: (payload: unknown) => Promise<void> | void): () => void {
    const listener: Listener = (announcement, running) => running.push(this.#run(owner, announcement, () => handle(announcement.payload)));
    this.#byName.on(name, listener);
    return () => void this.#byName.off(name, listener);
  }

  subscribeAll(owner: string, handle: (announcement: Announcement) => void): () => void {
    // Not `async`, because every event passes through here and most have nothing to wait for.
    const listener: Listener = (announcement) => {
      try {
        handle(announcement);
      } catch (error) {
        this.#onFailure({ owner, event: announcement.name, payload: announcement.payload, error });
      }
    };
    this.#everything.on(EVERYTHING, listener);
    return () => void this.#everything.off(EVERYTHING, listener);
  }

  async #run(owner: string, { name, payload }: Announcement, handle: () => Promise<void> | void): Promise<void> {
    try {
      await handle();
    } catch (error) {
      this.#onFailure({ owner, event: name, payload, error });
    }
  }
}
