import type { PluginContext, Transaction } from '#core';
import type { ChunkedText } from '#core/areas';
import { sessionExpired } from '../events.js';
import { type PromptRecord, prompts, type SessionRecord, sessions } from '../records.js';
import { viewOf } from './session.js';

/** How long a late reply finds its way back to the question it answers. */
const REPLIES_UNDERSTOOD_DAYS = 30;
/** A session that is over, or a question, without what the session knew. */
const RECORD_BYTES = 1_000;

type Waiting = Omit<SessionRecord, 'data' | 'data_bytes' | 'asked' | 'state' | 'over_at'>;

/** The state of a session after a turn. */
interface TurnState {
  /** As the engine returned it. */
  readonly data: string;
  /** Long values are shared with what else has this scope. */
  readonly scope: string;
  /** The questions that it waits for an answer to. */
  readonly asked: readonly PromptRecord[];
}

/** Sessions, and the questions that late replies find their way back to. The state of a session is stored once, however many of them have it. */
export type KeptSessions = ReturnType<typeof keepSessions>;

export function keepSessions(
  { chunks, history, clock }: Pick<PluginContext, 'chunks' | 'history' | 'clock'>,
  { kept, keptBytes }: { readonly kept: number; readonly keptBytes?: number },
) {
  const questions = history<PromptRecord>({
    name: 'prompts',
    type: prompts,
    index: 'created',
    at: ({ created_at }) => created_at,
    bytes: ({ data, data_bytes = lengthOf(data) }) => RECORD_BYTES + data_bytes,
    limits: { count: kept, days: REPLIES_UNDERSTOOD_DAYS, bytes: keptBytes },
    async evict(tx, { message, data }) {
      chunks.release(tx, data);
      tx.in(prompts).delete(message);
    },
  });
  const over = history<SessionRecord>({
    name: 'sessions',
    type: sessions,
    index: 'over',
    at: ({ over_at }) => over_at,
    bytes: () => RECORD_BYTES,
    limits: { count: kept, days: REPLIES_UNDERSTOOD_DAYS, bytes: keptBytes },
    async evict(tx, { uuid }) {
      tx.in(sessions).delete(uuid);
    },
  });

  return {
    /** A session waits for its contact. */
    async park(tx: Transaction, waiting: Waiting, { data, scope, asked }: TurnState): Promise<SessionRecord> {
      await leave(tx, waiting.uuid);
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

    /** Ends a wait whose time is up. */
    async expire(tx: Transaction, session: SessionRecord): Promise<void> {
      const expired = await end(tx, session, 'expired');
      tx.emit(sessionExpired, { session: viewOf(expired) });
    },

    /** What a session knows, as the engine returned it. */
    read: (data: ChunkedText): Promise<string> => chunks.expand(data),
  };

  /** A session waits no more. What may still be asked of it is in its prompts. */
  async function end(
    tx: Transaction,
    session: Omit<SessionRecord, 'data' | 'state' | 'expires_at'>,
    state: 'ended' | 'failed' | 'expired',
  ): Promise<SessionRecord> {
    await leave(tx, session.uuid);
    const { parked_for: _, data_bytes: _bytes, asked: _asked, ...rest } = session;
    const now = clock.now().toISOString();
    const ended: SessionRecord = { ...rest, state, expires_at: null, updated_at: now, data: '', over_at: now };
    tx.in(sessions).put(ended);
    over.added(tx, ended);
    return ended;
  }

  /** The session is about to stand in another way. Its questions keep how it stood when they were asked. */
  async function leave(tx: Transaction, uuid: string): Promise<void> {
    const before = await tx.in(sessions).get(uuid);
    if (!before) return;
    if (before.over_at !== undefined) over.removed(tx, before);
    for (const message of before.asked ?? []) {
      const prompt = await tx.in(prompts).get(message);
      if (!prompt || prompt.data !== undefined) continue;
      const whole = { ...prompt, data: before.data, data_bytes: before.data_bytes ?? lengthOf(before.data) };
      chunks.share(tx, before.data);
      tx.in(prompts).put(whole);
      questions.removed(tx, prompt);
      questions.added(tx, whole);
    }
    chunks.release(tx, before.data);
  }
}

/** Of data without a length, as an earlier release has written it: it is one text. */
const lengthOf = (data: ChunkedText | undefined): number => (typeof data === 'string' ? data.length : 0);
