import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { createEventSource } from 'eventsource-client';
import { SERVER } from './address.js';
import { isSignedOut } from './admin.js';
import { gapEvent, isGap, LiveEvent, type RawEvent } from './live-event.js';
import { me, readOperator, replacedBy } from './operator.js';

export type { StreamedEvent } from './live-event.js';

/** `connecting` lasts until the page has the events that the platform retained before it was opened. */
export type StreamState = 'connecting' | 'live' | 'lost';

/** Messages of the tab with the stream to the other tabs of this browser. */
type Shared =
  | { readonly kind: 'hello' }
  | { readonly kind: 'all'; readonly events: readonly RawEvent[]; readonly state: StreamState; readonly at: number }
  | { readonly kind: 'batch'; readonly events: readonly RawEvent[]; readonly at: number }
  | { readonly kind: 'state'; readonly state: StreamState; readonly at: number }
  | { readonly kind: 'signed-out' };

/** Events in memory, and characters of them. The oldest are dropped in blocks, so that dropping costs little per event. */
export const MAX_EVENTS = 100_000;
const MAX_CHARACTERS = 150_000_000;
const BLOCK = 10_000;
/** Events that a new tab receives from the one with the stream: as many as the platform retains. */
const MAX_SHARED = 5_000;
/** Events wait this long, so that a thousand per second cause ten updates of the page and not a thousand. */
const BATCH_MS = 100;
/** Events in one update. More wait for the next one, so that the page stays responsive. */
const MAX_BATCH = 500;
/** The platform sends a comment every 15 s. */
const STALE_MS = 20_000;
/** No event has this id, so the stream begins with the oldest event that the platform retains. */
const FROM_THE_BEGINNING = 'beginning';

const events: LiveEvent[] = [];
let characters = 0;
const listeners = new Set<(batch: readonly LiveEvent[]) => void>();
/** Events that were dropped from memory since the page was opened. */
const dropped = signal(0);
const state = signal<StreamState>('connecting');
/** When the stream last sent anything, as milliseconds since 1970. */
const heardAt = signal(Date.now());
/** Changes with each batch; read it to follow `live.events`. */
const version = signal(0);
const now = signal(Date.now());

/** The events of the platform, which one tab of the browser receives and shares with the others. */
export const live = {
  /** Oldest first; grows in place. */
  events: events as readonly LiveEvent[],
  version,
  dropped: dropped as ReadonlySignal<number>,
  state: computed<StreamState>(() => (state.value === 'live' && now.value - heardAt.value > STALE_MS ? 'lost' : state.value)),
  /** When the stream last sent anything, as milliseconds since 1970. */
  heardAt: heardAt as ReadonlySignal<number>,
  /** Calls `listener` with each batch of new events. @returns ends it */
  listen(listener: (batch: readonly LiveEvent[]) => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** How often the stream has come back after it was lost: what was read before may be old, and what could not be read is read again. */
export const returns = signal(0);
let wasLost = false;
effect(() => {
  const isLost = live.state.value === 'lost';
  if (wasLost && live.state.value === 'live') returns.value++;
  wasLost = isLost || (wasLost && live.state.value !== 'live');
});

/** Begins to receive events; called once, when it is known who is signed in: tabs share the events of one operator. */
export function startLive(): void {
  const name = `posthorn-console ${SERVER.pathname} ${me.value?.operator.id ?? ''}`;
  setInterval(() => {
    now.value = Date.now();
  }, 1_000);
  const channel = new BroadcastChannel(name);
  let isLeader = false;
  channel.onmessage = ({ data }: MessageEvent<Shared>) => {
    if (data.kind === 'signed-out') {
      isSignedOut.value = true;
      return;
    }
    if (data.kind === 'hello') {
      if (!isLeader) return;
      const newest = events.slice(-MAX_SHARED).map(({ raw }) => raw);
      channel.postMessage({ kind: 'all', events: newest, state: state.value, at: heardAt.value } satisfies Shared);
      return;
    }
    if (isLeader) return;
    heardAt.value = data.at;
    if (data.kind === 'batch' || (data.kind === 'all' && events.length === 0)) accept(data.events.map((raw) => new LiveEvent(raw)));
    if (data.kind !== 'batch') state.value = data.state;
  };
  channel.postMessage({ kind: 'hello' } satisfies Shared);
  // The session is one of the browser: no tab shows data until its next call.
  effect(() => {
    if (isSignedOut.value) channel.postMessage({ kind: 'signed-out' } satisfies Shared);
  });
  const lead = () => {
    isLeader = true;
    receive((shared) => channel.postMessage(shared));
    return new Promise<never>(() => {});
  };
  // Browsers allow six connections per host: a stream per tab would block the seventh tab. Without locks (plain http), each tab has a stream.
  if (navigator.locks) void navigator.locks.request(name, lead);
  else void lead();
}

/** Receives the stream in this tab; continues after the last known event. */
function receive(share: (shared: Shared) => void): void {
  const pending: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastShared = 0;
  const lastId = events.findLast((event) => !isGap(event))?.id;
  // Without an earlier position, the events before the oldest retained one are not missing.
  let hasPosition = lastId !== undefined;
  /** Whether the retained events were received. The platform sends a comment after them. */
  let isCaughtUp = hasPosition;
  let isFirst = true;

  createEventSource({
    url: new URL('admin/v1/events', SERVER),
    initialLastEventId: lastId ?? FROM_THE_BEGINNING,
    fetch: async (url, init) => {
      // Another operator may be signed in since the stream has ended, whose events this page must not receive.
      if (!isFirst) await readOperator();
      isFirst = false;
      if (replacedBy.value !== undefined) throw new Error('another operator is signed in');
      const response = await fetch(url, init as RequestInit);
      if (response.status === 401) isSignedOut.value = true;
      return response;
    },
    onConnect: () => {
      if (isCaughtUp) report('live');
    },
    onScheduleReconnect: () => report('lost'),
    onComment: () => {
      isCaughtUp = true;
      // Retained events that wait for `flush` come first.
      if (state.value !== 'connecting' || pending.length === 0) report('live');
    },
    onMessage({ id, event, data }) {
      if (event === 'gap') {
        if (hasPosition) queue(gapEvent((JSON.parse(data) as { reason: string }).reason));
        return;
      }
      hasPosition = true;
      queue(new LiveEvent({ id: id ?? '', name: event ?? '', json: data }));
    },
  });

  function queue(event: LiveEvent): void {
    pending.push(event);
    if (timer === undefined) timer = setTimeout(flush, BATCH_MS);
  }

  function flush(): void {
    const batch = pending.splice(0, MAX_BATCH);
    timer = pending.length > 0 ? setTimeout(flush, 0) : undefined;
    heardAt.value = Date.now();
    accept(batch);
    share({ kind: 'batch', events: batch.map(({ raw }) => raw), at: heardAt.value });
    if (isCaughtUp && pending.length === 0 && state.value === 'connecting') report('live');
  }

  function report(current: StreamState): void {
    if (current === 'live') heardAt.value = Date.now();
    if (state.value === current && Date.now() - lastShared < 1_000) return;
    lastShared = Date.now();
    state.value = current;
    share({ kind: 'state', state: current, at: heardAt.value });
  }
}

function accept(batch: readonly LiveEvent[]): void {
  for (const event of batch) {
    events.push(event);
    characters += event.json.length;
  }
  while (events.length > MAX_EVENTS || (characters > MAX_CHARACTERS && events.length > batch.length)) drop();
  version.value++;
  for (const listen of listeners) listen(batch);
}

function drop(): void {
  const oldest = events.splice(0, Math.min(BLOCK, Math.ceil(events.length / 10)));
  for (const { json } of oldest) characters -= json.length;
  dropped.value += oldest.length;
}
