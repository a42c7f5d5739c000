import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ContactRecord, ConversationRecord, DeliveryRecord, MessageRecord } from '#core';
import type { PanelsView } from '../../components/panel-view.js';
import { admin, CallFailed, isUnreachable, RETRY_MS } from '../../data/admin.js';
import { live, type StreamedEvent } from '../../data/live.js';
import { texts } from './texts.js';

/** Messages that are loaded at first. */
const PAGE = 50;
/** Messages that are loaded with each step back: the most that a call returns. */
const OLDER_PAGE = 500;
const DEBOUNCE_MS = 100;
/** So long a contact counts as writing after the last event that says so. */
const WRITING_MS = 10_000;
/** Problems that are older than this many messages are shown when their message is opened. */
const MAX_CHECKED = 20;

type View<T> = { readonly state: 'loaded'; readonly data: T } | { readonly state: 'failed'; readonly reason: string };

export interface Waiting {
  readonly name: string | null;
  readonly session: { readonly uuid: string; readonly journey: string; readonly card: string; readonly expires_at: string };
}

export interface Detail {
  readonly conversation: ConversationRecord;
  readonly contact: ContactRecord;
  /** All ids of the contact, its own first. */
  readonly ids: readonly string[];
  readonly messages: readonly MessageRecord[];
  readonly views: {
    readonly typing?: View<{ readonly until: string } | null>;
    readonly journey?: View<Waiting | null>;
    readonly integrations?: PanelsView;
  };
}

/** A conversation with its messages, kept current by the event stream. */
export interface Thread {
  readonly uuid: string;
  readonly detail: ReadonlySignal<Detail | undefined>;
  /** Oldest first. */
  readonly messages: ReadonlySignal<readonly MessageRecord[]>;
  /** The newest delivery of a message that has not succeeded, by the uuid of the message. */
  readonly troubles: ReadonlySignal<ReadonlyMap<string, DeliveryRecord>>;
  readonly error: ReadonlySignal<CallFailed | undefined>;
  /** Whether the contact writes a message, on channels that tell. */
  readonly isWriting: ReadonlySignal<boolean>;
  /** Loads older messages. @throws CallFailed */
  loadOlder(): Promise<void>;
  /**
   * Loads older messages up to the one with an id, or its uuid.
   * @returns its uuid
   * @throws CallFailed
   */
  loadMessage(id: string): Promise<string>;
  /** @param refresh polls the integrations again */
  reload(refresh?: boolean): Promise<void>;
}

interface Open {
  readonly thread: Thread;
  users: number;
  readonly start: () => () => void;
  stop: () => void;
}

/** The phone and the desk of a conversation share its thread. */
const open = new Map<string, Open>();

export function useThread(uuid: string): Thread {
  const entry = useMemo(() => {
    const known = open.get(uuid) ?? createThread(uuid);
    open.set(uuid, known);
    return known;
  }, [uuid]);
  useEffect(() => {
    open.set(uuid, entry);
    if (entry.users++ === 0) entry.stop = entry.start();
    return () => {
      if (--entry.users > 0) return;
      entry.stop();
      open.delete(uuid);
    };
  }, [entry]);
  return entry.thread;
}

function createThread(uuid: string): Open {
  const detail = signal<Detail | undefined>(undefined);
  const messages = signal<readonly MessageRecord[]>([]);
  const troubles = signal<ReadonlyMap<string, DeliveryRecord>>(new Map());
  const error = signal<CallFailed | undefined>(undefined);
  const isWriting = signal(false);
  const checked = new Set<string>();
  let isLoading = false;
  let isStale = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writingTimer: ReturnType<typeof setTimeout> | undefined;

  async function reload(refresh = false): Promise<void> {
    // One call at a time, so that an older response never replaces a newer one.
    if (isLoading && !refresh) {
      isStale = true;
      return;
    }
    isLoading = true;
    try {
      const loaded = await admin<Detail>('GET', `/conversations/${uuid}?limit=${PAGE}${refresh ? '&refresh=true' : ''}`);
      detail.value = loaded;
      error.value = undefined;
      merge(loaded.messages);
      void findTroubles(loaded.messages);
    } catch (failure) {
      error.value = failure instanceof CallFailed ? failure : new CallFailed(String(failure), 0, undefined);
      // A reset, or a restart without stored state, removed the conversation.
      if (error.value.status === 404) {
        detail.value = undefined;
        messages.value = [];
      }
      if (isUnreachable(failure)) soon(RETRY_MS);
    }
    isLoading = false;
    if (isStale) {
      isStale = false;
      soon();
    }
  }

  function soon(delayMs = DEBOUNCE_MS): void {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void reload();
    }, delayMs);
  }

  function merge(some: readonly MessageRecord[]): void {
    const all = new Map(messages.value.map((message) => [message.uuid, message]));
    for (const message of some) {
      const known = all.get(message.uuid);
      // Unchanged messages keep their identity, so that their bubbles are not rendered again.
      if (!known || JSON.stringify(known) !== JSON.stringify(message)) all.set(message.uuid, message);
    }
    messages.value = [...all.values()].sort((a, b) => a.position - b.position);
  }

  /** Finds the deliveries of messages that failed or are pending: their events may be older than this page. */
  async function findTroubles(loaded: readonly MessageRecord[]): Promise<void> {
    const doubtful = loaded.filter(
      ({ uuid, direction, status, pending_for }) =>
        direction === 'outbound' && (status === 'failed' || pending_for !== undefined) && !checked.has(uuid),
    );
    for (const { uuid } of doubtful.slice(0, MAX_CHECKED)) {
      checked.add(uuid);
      const found = await admin<{ deliveries: readonly DeliveryRecord[] }>('GET', `/deliveries?message=${uuid}`).catch(() => undefined);
      for (const delivery of found?.deliveries.toReversed() ?? []) note(delivery);
    }
  }

  function note(delivery: DeliveryRecord): void {
    const { message, state, last_status, last_error } = delivery;
    if (message === undefined) return;
    const hasFailed =
      state === 'cancelled' || state === 'dropped' || (state !== 'delivered' && (last_status !== undefined || last_error !== undefined));
    const known = troubles.value.get(message);
    if (!hasFailed && known?.uuid !== delivery.uuid) return;
    const next = new Map(troubles.value);
    if (hasFailed) next.set(message, delivery);
    else next.delete(message);
    troubles.value = next;
  }

  function accept(batch: readonly StreamedEvent[]): void {
    const contact = detail.value?.contact.uuid;
    let isConcerned = false;
    const changed: MessageRecord[] = [];
    for (const { name, data } of batch) {
      if (name !== 'gap' && !concerns(data, uuid, contact)) continue;
      if (name === 'typing.contact') {
        showWriting(data.on);
        continue;
      }
      if (name === 'message.received') showWriting(false);
      isConcerned = true;
      // Messages have other places then.
      if (name === 'contact.merged' || name === 'contact.split') messages.value = [];
      if (data.message?.conversation === uuid) changed.push(data.message);
      if (data.delivery) note(data.delivery);
    }
    // Statuses of messages before the newest ones are not in the response of the reload.
    const oldest = messages.value.at(-PAGE)?.position ?? 0;
    if (changed.some(({ position }) => position < oldest)) merge(changed.filter(({ position }) => position < oldest));
    if (isConcerned) soon();
  }

  function showWriting(on: boolean): void {
    clearTimeout(writingTimer);
    isWriting.value = on;
    if (on) writingTimer = setTimeout(() => showWriting(false), WRITING_MS);
  }

  async function loadOlder(): Promise<void> {
    const first = messages.value[0];
    if (!first || first.position <= 1) return;
    const path = `/conversations/${uuid}/messages?before=${first.position}&limit=${OLDER_PAGE}`;
    merge((await admin<{ messages: readonly MessageRecord[] }>('GET', path)).messages);
  }

  return {
    users: 0,
    stop: () => {},
    start() {
      isStopped = false;
      void reload();
      const end = live.listen(accept);
      return () => {
        isStopped = true;
        end();
        clearTimeout(timer);
        showWriting(false);
        timer = undefined;
      };
    },
    thread: {
      uuid,
      detail,
      messages,
      troubles,
      error: error as Signal<CallFailed | undefined>,
      isWriting,
      reload,
      loadOlder,
      async loadMessage(id) {
        const { message } = await admin<{ message: MessageRecord }>('GET', `/messages/${encodeURIComponent(id)}`);
        if (message.conversation !== uuid) throw new CallFailed(texts.theQuotedMessageIsIn, 0, undefined);
        for (let left = Number.POSITIVE_INFINITY; ; ) {
          const first = messages.value[0]?.position ?? 0;
          // Messages that the platform no longer has end the steps back.
          if (first <= message.position || first >= left) return message.uuid;
          left = first;
          await loadOlder();
        }
      },
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each event name has its own data
function concerns(data: any, conversation: string, contact: string | undefined): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const named = [
    ...[data.conversation, data.conversation?.uuid, data.message?.conversation, data.delivery?.conversation],
    ...[data.merged_conversation, data.split_conversation],
  ];
  if (named.includes(conversation)) return true;
  return contact !== undefined && [data.contact, data.contact?.uuid, data.session?.contact].includes(contact);
}
