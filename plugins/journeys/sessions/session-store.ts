import { beforeCommit, type ChunkedText, type MessageRecord, type PluginContext, type Subscription, type Transaction } from '#core';
import { messagesExpired } from '#core/messaging';
import { journeyEnded, sessionExpired } from '../events.js';
import { type PromptRecord, prompts, type SessionRecord, sessions } from '../records.js';
import { isWaiting, viewOf } from './session.js';
import type { Traffic } from './traffic.js';

/** The time during which a late reply can resume from the question that it answers. */
const LATE_REPLY_DAYS = 30;
/** The assumed size of an ended session, or of a question without its session state. */
const RECORD_BYTES = 1_000;

type Waiting = Omit<SessionRecord, 'data' | 'data_bytes' | 'asked' | 'state' | 'over_at'>;

interface TurnState {
  readonly data: string;
  /** Chunks with the same scope store equal long values once. */
  readonly scope: string;
  /** The questions whose answer the session waits for. */
  readonly asked: readonly PromptRecord[];
}

/** Stores sessions, and the questions from which late replies resume. A state that sessions and questions share is stored once. */
export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(
  { chunks, history, clock, conversations }: Pick<PluginContext, 'chunks' | 'history' | 'clock' | 'conversations'>,
  { kept, keptBytes }: { readonly kept: number; readonly keptBytes?: number },
  traffic: Traffic,
) {
  const questions = history<PromptRecord>({
    name: 'prompts',
    type: prompts,
    index: 'created',
    at: ({ created_at }) => created_at,
    bytes: ({ data, data_bytes = lengthOf(data) }) => RECORD_BYTES + data_bytes,
    number: ({ number }) => number,
    limits: { count: kept, days: LATE_REPLY_DAYS, bytes: keptBytes },
    async evict(tx, { message, data }) {
      chunks.release(tx, data);
      tx.in(prompts).delete(message);
    },
  });
  const endedSessions = history<SessionRecord>({
    name: 'sessions',
    type: sessions,
    index: 'over',
    at: ({ over_at }) => over_at,
    bytes: () => RECORD_BYTES,
    number: ({ number }) => number,
    limits: { count: kept, days: LATE_REPLY_DAYS, bytes: keptBytes },
    async evict(tx, { uuid }) {
      tx.in(sessions).delete(uuid);
    },
  });

  return {
    traffic,

    async park(tx: Transaction, waiting: Waiting, { data, scope, asked }: TurnState): Promise<SessionRecord> {
      await releaseState(tx, waiting.uuid);
      const { text, bytes } = chunks.pack(tx, data, { scope });
      const session: SessionRecord = {
        ...waiting,
        state: 'waiting',
        data: text,
        data_bytes: bytes,
        ...(asked.length > 0 && { asked: asked.map(({ message }) => message) }),
      };
      tx.in(sessions).put(session);
      for (const prompt of asked) {
        tx.in(prompts).put(prompt);
        questions.added(tx, prompt);
      }
      return session;
    },

    end,

    /** Ends the wait of a session before its contact answered. */
    async expire(tx: Transaction, session: SessionRecord): Promise<void> {
      const expired = await end(tx, session, 'expired');
      await traffic.left(tx, session);
      tx.emit(sessionExpired, { session: viewOf(expired) });
    },

    /** Deletes a session with its state. Its questions remain. */
    async remove(tx: Transaction, session: SessionRecord): Promise<void> {
      if (session.over_at !== undefined) endedSessions.removed(tx, session);
      chunks.release(tx, session.data);
      tx.in(sessions).delete(session.uuid);
    },

    /** Whether a session waits for the answer to a message. */
    async needsMessage(tx: Transaction, { uuid, journey }: Pick<MessageRecord, 'uuid' | 'journey'>): Promise<boolean> {
      const session = journey && (await tx.in(sessions).get(journey.session));
      return isWaiting(session, clock.now()) && (session.asked ?? []).includes(uuid);
    },

    /** Deletes the questions whose messages expire. */
    expiring: [
      beforeCommit(messagesExpired, async ({ messages }, tx) => {
        for (const message of messages) {
          const prompt = await tx.in(prompts).get(message);
          if (!prompt) continue;
          questions.removed(tx, prompt);
          chunks.release(tx, prompt.data);
          tx.in(prompts).delete(message);
        }
      }) as Subscription,
    ],

    /** Reads the state of a session as the engine returned it. */
    read: (data: ChunkedText): Promise<string> => chunks.expand(data),
  };

  /** Ends a session and drops its state. Its prompts retain the states that late replies resume from. */
  async function end(
    tx: Transaction,
    session: Omit<SessionRecord, 'data' | 'state' | 'expires_at'>,
    state: 'ended' | 'failed' | 'expired',
    failure: string | null = null,
  ): Promise<SessionRecord> {
    await releaseState(tx, session.uuid);
    const { parked_for: _, data_bytes: _bytes, asked: _asked, ...rest } = session;
    const now = clock.now().toISOString();
    const ended: SessionRecord = { ...rest, state, expires_at: null, updated_at: now, data: '', over_at: now };
    tx.in(sessions).put(ended);
    endedSessions.added(tx, ended);
    const { uuid, journey, number, contact } = ended;
    const conversation = (await conversations.ofContact(number, contact))?.uuid ?? null;
    tx.emit(journeyEnded, { session: uuid, journey, number, contact, conversation, how: state, failure });
    return ended;
  }

  /** Releases the state of a session before it is replaced. Unanswered questions of the session first get a reference to that state. */
  async function releaseState(tx: Transaction, uuid: string): Promise<void> {
    const before = await tx.in(sessions).get(uuid);
    if (!before) return;
    if (before.over_at !== undefined) endedSessions.removed(tx, before);
    for (const message of before.asked ?? []) {
      const prompt = await tx.in(prompts).get(message);
      if (!prompt || prompt.data !== undefined) continue;
      const completed = { ...prompt, data: before.data, data_bytes: before.data_bytes ?? lengthOf(before.data) };
      chunks.share(tx, before.data);
      tx.in(prompts).put(completed);
      questions.removed(tx, prompt);
      questions.added(tx, completed);
    }
    chunks.release(tx, before.data);
  }
}

/** The length of data that an earlier release stored without its length. Such data is a single text. */
const lengthOf = (data: ChunkedText | undefined): number => (typeof data === 'string' ? data.length : 0);
