import { createEventSource } from 'eventsource-client';
import { type Api, waitMs } from './api.js';

/** The server sends a comment every 15 s. */
const SILENT_MS = 20_000;
/** A stream that is silent for this long is opened again. */
const DEAD_MS = 40_000;
const TICK_MS = 3_000;
const HIDDEN_POLL_MS = 30_000;

/** An event of the stream, for this tab and for the others. */
export interface Streamed {
  readonly event: string;
  readonly data: unknown;
  /** The cursor before and after the event. */
  readonly from: string;
  readonly to: string;
}

export interface LiveOptions {
  readonly api: Api;
  /** Of the number and the visitor: the tabs of the browser with the same name share a stream. */
  readonly name: string;
  cursor(): string;
  /** Applies an event that this tab or another one has received. */
  apply(event: Streamed): void;
  /** Fetches what may be missing. */
  sync(): Promise<void>;
  /** Whether the visitor looks at the chat. */
  isWatched(): boolean;
  /** Another tab tells something that is not from the server. */
  told(data: unknown): void;
}

export type Live = ReturnType<typeof startLive>;

/** One tab has the stream, and passes events to the others: browsers allow six connections per host. Without one, tabs ask for messages. */
export function startLive({ api, name, cursor, apply, sync, isWatched, told }: LiveOptions) {
  /** Whether events arrive as they happen. */
  let isLive = false;
  const channel = new BroadcastChannel(name);
  const stopping = new AbortController();
  let source: ReturnType<typeof createEventSource> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isLeader = false;
  let failures = 0;
  let heardAt = 0;
  let sharedAt = 0;
  let opened = Date.now();
  let polledAt = 0;

  channel.onmessage = ({ data }: MessageEvent<{ event?: Streamed; note?: unknown; alive?: true }>) => {
    if (data.note !== undefined) return told(data.note);
    heard();
    if (data.event) apply(data.event);
  };

  function heard(): void {
    heardAt = Date.now();
    isLive = true;
    failures = 0;
    if (isLeader && heardAt - sharedAt > TICK_MS) {
      sharedAt = heardAt;
      channel.postMessage({ alive: true });
    }
  }

  function connect(): void {
    source?.close();
    clearTimeout(retry);
    // Without locks every tab is its own leader, and hidden ones would take the connections of the others.
    if (stopping.signal.aborted || !isLeader || (!navigator.locks && document.hidden)) return;
    let failure: unknown;
    const own = createEventSource({
      url: `${api.base}stream?after=${encodeURIComponent(cursor())}`,
      fetch: async (url, init) => {
        try {
          return await api.stream(String(url), init as RequestInit);
        } catch (error) {
          failure = error;
          throw error;
        }
      },
      onComment: heard,
      onMessage: ({ event = 'message', data, id }) => {
        heard();
        const from = cursor();
        const streamed = { event, data: JSON.parse(data || 'null'), from, to: id ?? from };
        apply(streamed);
        channel.postMessage({ event: streamed });
      },
      onScheduleReconnect: () => {
        // Its own waits do not grow.
        own.close();
        if (own !== source) return;
        isLive = false;
        retry = setTimeout(reconnect, waitMs(++failures, failure));
      },
    });
    source = own;
    opened = Date.now();
  }

  /** Fetches first: states that changed meanwhile are not in the stream. */
  function reconnect(): void {
    sync().then(connect, (error) => {
      if (!stopping.signal.aborted) retry = setTimeout(reconnect, waitMs(++failures, error));
    });
  }

  const tick = setInterval(() => {
    const now = Date.now();
    if (now - heardAt > SILENT_MS) isLive = false;
    if (isLeader && source && now - Math.max(heardAt, opened) > DEAD_MS) connect();
    if (isLive || now - polledAt < (isWatched() ? TICK_MS : HIDDEN_POLL_MS) || now - opened < TICK_MS) return;
    polledAt = now;
    sync().catch(() => undefined);
  }, TICK_MS);

  const startedAt = Date.now();
  const lead = (): Promise<void> => {
    isLeader = true;
    // The session has just brought everything.
    if (Date.now() - startedAt < TICK_MS) connect();
    else reconnect();
    return new Promise((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  };
  if (navigator.locks) navigator.locks.request(name, { signal: stopping.signal }, lead).catch(() => undefined);
  else void lead();

  return {
    /** Sends an event or a note to the other tabs. */
    share: (what: { readonly event: Streamed } | { readonly note: unknown }) => channel.postMessage(what),
    /** Connects now: the network is back, or the page visible again. */
    wake() {
      if (isLeader && (!isLive || Date.now() - heardAt > SILENT_MS)) reconnect();
      else sync().catch(() => undefined);
    },
    stop() {
      stopping.abort();
      clearInterval(tick);
      clearTimeout(retry);
      source?.close();
      channel.close();
    },
  };
}
