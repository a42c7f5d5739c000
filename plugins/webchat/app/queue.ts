import { signal } from '@preact/signals';
import { type Api, inOneTab, Refused, waitMs } from './api.js';
import type { Storage } from './storage.js';
import type { Body, Message } from './types.js';

/** A message that the server has not stored yet. */
export interface Pending {
  /** The server stores one message for it, however often it is sent. */
  readonly client_id: string;
  /** Milliseconds since 1970; grows with each message of the queue. */
  readonly created_at: number;
  readonly body: Body;
  /** The status of the server's refusal. The message is not sent again by itself. */
  readonly refused?: number;
}

const ENTRY = ':queue:';

export type Queue = ReturnType<typeof createQueue>;

/** Sends messages in order, and keeps them over reloads. Each has an entry of its own, so that two tabs do not overwrite each other's. */
export function createQueue(api: Api, storage: Storage, key: string, onStored: (message: Message) => void) {
  const pending = signal<readonly Pending[]>([]);
  /** The server wants fewer messages. */
  const isThrottled = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSending = false;
  let failures = 0;

  const read = (): void => {
    const entries = storage.names(ENTRY).flatMap((name) => parsed(storage.get(name)));
    pending.value = entries.sort((a, b) => a.created_at - b.created_at);
  };
  const put = (entry: Pending): void => {
    storage.set(ENTRY + entry.client_id, JSON.stringify(entry));
    read();
  };
  const remove = (client_id: string): void => {
    storage.remove(ENTRY + client_id);
    read();
  };
  read();

  function send(): void {
    clearTimeout(timer);
    if (isSending) return;
    isSending = true;
    const finish = (retryMs?: number): void => {
      isSending = false;
      if (retryMs !== undefined) timer = setTimeout(send, retryMs);
      else if (pending.value.some(({ refused }) => refused === undefined)) send();
    };
    inOneTab(`${key}:send`, sendAll).then(finish, () => finish(waitMs(++failures)));
  }

  /** @returns when to try again; undefined when nothing waits */
  async function sendAll(): Promise<number | undefined> {
    for (;;) {
      read();
      const next = pending.value.find(({ refused }) => refused === undefined);
      if (!next) return undefined;
      try {
        const { message } = await api.call<{ message: Message }>('POST', 'messages', { client_id: next.client_id, ...next.body });
        failures = 0;
        isThrottled.value = false;
        // It may have been removed by a logout meanwhile, and then it is not of the conversation that is shown.
        if (storage.get(ENTRY + next.client_id) === undefined) continue;
        onStored(message);
        remove(next.client_id);
      } catch (error) {
        isThrottled.value = error instanceof Refused && error.status === 429;
        if (!(error instanceof Refused) || error.isTemporary) return waitMs(++failures, error);
        if (storage.get(ENTRY + next.client_id) !== undefined) put({ ...next, refused: error.status });
      }
    }
  }

  return {
    pending,
    isThrottled,
    add(body: Body) {
      const last = pending.value.at(-1)?.created_at ?? 0;
      put({ client_id: uuid(), created_at: Math.max(Date.now(), last + 1), body });
      send();
    },
    /** Sends a refused message again. */
    again(client_id: string) {
      const entry = pending.value.find((one) => one.client_id === client_id);
      if (!entry) return;
      const { refused: _, ...unsent } = entry;
      put(unsent);
      send();
    },
    remove,
    send,
    /** Reads the queue again, because another tab has changed it. */
    read,
    clear() {
      clearTimeout(timer);
      for (const name of storage.names(ENTRY)) storage.remove(name);
      read();
    },
  };
}

function parsed(text: string | undefined): Pending[] {
  try {
    return text === undefined ? [] : [JSON.parse(text)];
  } catch {
    // Another script of the page wrote it.
    return [];
  }
}

/** `crypto.randomUUID` is missing on pages without https. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
