import { computed, effect, signal } from '@preact/signals';
import { type Api, createApi, inOneTab, isUser, Refused, waitMs } from './api.js';
import { createHistory } from './history.js';
import { type Live, type Streamed, startLive } from './live.js';
import { createQueue } from './queue.js';
import { createStorage } from './storage.js';
import type { HostPage, Identity, Message, Page, Session } from './types.js';
import { createUploads } from './uploads.js';

/** `trouble` retries by itself; `refused` does not. */
export type State = 'closed' | 'starting' | 'ready' | 'trouble' | 'refused';

const PAGE_SIZE = 30;
const TYPING_MS = 25_000;
const RECEIPT_MS = 300;
const MAX_ANNOUNCED = 5;

/** The conversation of this tab, without its looks. */
export type Chat = ReturnType<typeof createChat>;
/** The part for the page. */
export type App = Pick<Chat, 'open' | 'close' | 'identify' | 'reset'>;

interface Stored {
  readonly token?: string;
  readonly visitor?: string;
  /** The position up to which the visitor has seen the conversation. */
  readonly seen?: number;
  /** The cursor after which the loader looks for unread messages. */
  readonly after?: string;
}

export function createChat(page: HostPage) {
  const { base, key, config } = page;
  const storage = createStorage(key);
  const state = signal<State>('closed');
  const isOpen = signal(false);
  const isOnline = signal(navigator.onLine);
  /** The message whose form is open. */
  const form = signal<Message | undefined>(undefined);
  const hasEarlier = signal(false);
  /** Whether an operator types. */
  const isTyping = signal(false);
  /** The last new messages to the visitor, for screen readers. */
  const announced = signal<readonly Message[]>([]);
  const draft = signal(storage.get(':draft') ?? '');
  let { user } = page;
  let stored: Stored = readStored();
  const seen = signal(stored.seen ?? 0);
  let visitor: string | undefined;
  let cursor = '';
  /** Before which earlier messages are asked for. */
  let earliest = '';
  let live: Live | undefined;
  let failures = 0;
  /** Grows with each visitor, so that answers for an earlier one are dropped. */
  let era = 0;

  const history = createHistory();
  const api: Api = createApi(base, () => stored, openSession);
  const queue = createQueue(api, storage, key, (message) => {
    accept([message]);
    live?.share({ note: { kind: 'message', message } });
  });
  const uploads = createUploads(api, queue);
  const unread = computed(
    () => history.messages.value.filter((one) => one.direction === 'out' && one.position > seen.value && one.status !== 'read').length,
  );

  function readStored(): Stored {
    try {
      return JSON.parse(storage.get('') ?? '{}');
    } catch {
      return {};
    }
  }
  const store = (change: Stored): void => {
    stored = { ...stored, ...change };
    storage.set('', JSON.stringify(stored));
  };

  /** Opens or renews the session. Tabs do it one after the other, so that they have the same visitor. */
  async function openSession(): Promise<void> {
    const mine = era;
    await inOneTab(`${key}:session`, async () => {
      const { token, visitor: before } = readStored();
      const given = typeof user === 'function' ? await user() : user;
      const session = await api.call<Session>('POST', 'sessions', {
        ...(token !== undefined && { token }),
        ...(given && { user: given }),
      });
      if (mine !== era) return;
      const isOther = session.visitor !== visitor;
      if (isOther) {
        leave();
        // Messages of a user must not be sent as those of the next one. Another tab may have dropped them before.
        if (isUser(before) && before !== session.visitor) queue.clear();
        if (isUser(visitor)) {
          uploads.clear();
          draft.value = '';
        }
      }
      visitor = session.visitor;
      if (stored.visitor !== undefined && stored.visitor !== visitor) seen.value = 0;
      store({ ...(session.token !== undefined && { token: session.token }), visitor, seen: seen.value });
      take(session, isOther);
      if (isOther) {
        earliest = session.cursor;
        hasEarlier.value = session.more;
      }
      live ??= startLive({
        api,
        name: `${key}:${visitor}`,
        cursor: () => cursor,
        apply,
        sync,
        isWatched: () => isOpen.value && !document.hidden,
        told,
      });
    });
  }

  /** Takes a page of messages, after which the stream continues. */
  function take({ messages, cursor: next }: Page, isFirst = false): void {
    accept(messages, isFirst);
    cursor = next;
    mark();
  }

  function accept(messages: readonly Message[], isHistory = false): void {
    const added = history.merge(messages);
    if (messages.some(({ form: response, direction, context }) => response && direction === 'in' && context === form.value?.id))
      form.value = undefined;
    for (const { client_id } of messages) if (client_id !== undefined) queue.remove(client_id);
    const fresh = added.filter(({ direction }) => direction === 'out');
    if (fresh.length === 0 || isHistory) return;
    isTyping.value = false;
    announced.value = [...announced.value, ...fresh].slice(-MAX_ANNOUNCED);
    for (const message of fresh) page.emit('message', message);
  }

  /** Fetches what the stream may have missed: the newest messages with their states, and all between them and the known ones. */
  async function sync(): Promise<void> {
    const mine = era;
    const known = history.messages.value.at(-1)?.position ?? 0;
    const before = cursor;
    const newest = await api.call<Page>('GET', `messages?limit=${PAGE_SIZE}`);
    if (mine !== era) return;
    const isWhole = !newest.more || newest.messages.some(({ position }) => position <= known);
    for (let isMore = !isWhole; isMore; ) {
      const next = await api.call<Page>('GET', `messages?after=${encodeURIComponent(cursor)}&limit=${PAGE_SIZE}`);
      if (mine !== era) return;
      take(next);
      isMore = next.more && next.messages.length > 0;
    }
    accept(newest.messages);
    // Events that arrived meanwhile have moved it further.
    if (cursor === before) cursor = newest.cursor;
    mark();
  }

  function apply({ event, data, from, to }: Streamed): void {
    // A tab that sleeps misses events of the tab with the stream.
    if (from !== cursor && event === 'message') void sync().catch(() => undefined);
    if (event === 'message') accept([data as Message]);
    if (event === 'status') {
      const { position, status } = data as Pick<Message, 'position'> & { status: NonNullable<Message['status']> };
      history.change((one) => one.position === position, { status });
    }
    if (event === 'typing') showTyping((data as { on: boolean }).on);
    if (event === 'seen') {
      const { position } = data as { position: number };
      history.change((one) => one.direction === 'in' && one.position <= position, { status: 'read' });
    }
    if (event === 'gap') void sync().catch(() => undefined);
    else if (from === cursor) cursor = to;
    mark();
  }

  /** Notes for the loader how far everything is seen, and reports again what the server has not got. */
  function mark(): void {
    const last = history.messages.value.findLast(({ direction }) => direction === 'out');
    if (last && last.status !== 'read' && last.status !== 'delivered') report('received', last.position);
    const read = history.messages.value.findLast(({ direction, position }) => direction === 'out' && position <= seen.value);
    if (read && read.status !== 'read') report('seen', read.position);
    if (unread.value === 0 && stored.after !== cursor) store({ after: cursor });
  }

  let typingEnds: ReturnType<typeof setTimeout> | undefined;
  function showTyping(on: boolean): void {
    clearTimeout(typingEnds);
    isTyping.value = on;
    if (on) typingEnds = setTimeout(() => showTyping(false), TYPING_MS);
  }

  type Note = { readonly kind: 'message'; readonly message: Message } | { readonly kind: 'seen'; readonly position: number };
  function told(note: unknown): void {
    const given = note as Note;
    if (given.kind === 'message') accept([given.message]);
    else seen.value = Math.max(seen.value, given.position);
  }

  const receipts = new Map<string, number>();
  /** Reports a position after a while: only the highest of several. */
  function report(kind: 'seen' | 'received', position: number): void {
    if ((receipts.get(kind) ?? 0) >= position) return;
    receipts.set(kind, position);
    setTimeout(() => {
      if (receipts.get(kind) !== position) return;
      // The next event, the next connection or the next opening reports it again.
      api.call('POST', kind, { position }).catch(() => receipts.delete(kind));
    }, RECEIPT_MS);
  }

  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  async function start(): Promise<void> {
    clearTimeout(retryTimer);
    const mine = era;
    if (state.value !== 'trouble') state.value = 'starting';
    try {
      await openSession();
      if (mine !== era) return;
      state.value = 'ready';
      failures = 0;
      queue.send();
    } catch (error) {
      if (mine !== era) return;
      const isFinal = error instanceof Refused && !error.isTemporary;
      state.value = isFinal ? 'refused' : 'trouble';
      if (!isFinal) retryTimer = setTimeout(start, waitMs(++failures, error));
    }
  }

  function wake(): void {
    isOnline.value = navigator.onLine;
    if (document.hidden || !navigator.onLine) return;
    if (state.value === 'trouble') void start();
    if (state.value !== 'ready') return;
    live?.wake();
    queue.send();
  }
  for (const event of ['online', 'offline', 'pageshow', 'focus']) addEventListener(event, wake);
  document.addEventListener('visibilitychange', wake);
  addEventListener('storage', ({ key: changed, newValue }) => {
    if (changed?.startsWith(`${key}:queue:`)) queue.read();
    if (visitor === undefined || (changed !== key && changed !== null)) return;
    // Another tab was logged out, or has another user: its page is newer than this one.
    if (newValue === null) forget();
    else if (readStored().visitor !== visitor) {
      user = undefined;
      void start();
    }
  });

  function leave(): void {
    live?.stop();
    live = undefined;
    receipts.clear();
    history.clear();
    form.value = undefined;
  }

  /** Drops all that belongs to the visitor, in this tab. */
  function forget(): void {
    era += 1;
    user = undefined;
    clearTimeout(retryTimer);
    leave();
    visitor = undefined;
    cursor = '';
    stored = {};
    seen.value = 0;
    queue.clear();
    uploads.clear();
    storage.clear();
    announced.value = [];
    hasEarlier.value = false;
    draft.value = '';
    state.value = 'closed';
    if (isOpen.value) void start();
  }

  effect(() => page.emit('unread', unread.value));
  effect(() => {
    if (draft.value !== '') storage.set(':draft', draft.value);
    else storage.remove(':draft');
  });

  let typedAt = 0;
  let isEarlierLoading = false;
  const chat = {
    ...{ base, config, state, isOpen, form, isOnline, history, hasEarlier },
    ...{ queue, uploads, unread, isTyping, announced, draft, isKept: storage.isKept },
    open() {
      if (isOpen.value) return;
      isOpen.value = true;
      page.emit('open', undefined);
      if (state.value === 'closed' || state.value === 'refused') void start();
    },
    close() {
      if (!isOpen.value) return;
      isOpen.value = false;
      page.emit('close', undefined);
    },
    async identify(given: Identity) {
      user = given;
      if (state.value !== 'closed') await start();
    },
    reset() {
      isOpen.value = false;
      forget();
    },
    async loadEarlier() {
      if (!hasEarlier.value || isEarlierLoading) return;
      const mine = era;
      isEarlierLoading = true;
      try {
        // The first page repeats known messages, because its cursor is that of the newest one.
        for (let added = 0; added < PAGE_SIZE / 2 && hasEarlier.value; ) {
          const earlier = await api.call<Page>('GET', `messages?before=${earliest}&limit=${PAGE_SIZE}`);
          if (mine !== era) return;
          added += history.merge(earlier.messages).length;
          earliest = earlier.cursor;
          hasEarlier.value = earlier.more;
        }
      } finally {
        isEarlierLoading = false;
      }
    },
    /** The visitor has seen the conversation up to here. */
    see(position: number) {
      if (position <= seen.value) return;
      seen.value = position;
      store({ seen: position });
      mark();
      live?.share({ note: { kind: 'seen', position } });
      report('seen', position);
    },
    /** The visitor types, or has stopped. */
    type(on: boolean) {
      const now = Date.now();
      if (state.value !== 'ready' || (on && now - typedAt < TYPING_MS / 5) || (!on && typedAt === 0)) return;
      typedAt = on ? now : 0;
      // An announcement that is lost is not missed.
      api.call('POST', 'typing', { on }).catch(() => undefined);
    },
    retry: () => void start(),
  };
  // The loader loads the application early only when something waits.
  if (stored.token !== undefined) void start();
  return chat;
}
