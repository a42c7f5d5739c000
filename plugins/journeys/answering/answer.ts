import {
  advice,
  beforeCommit,
  type Consumer,
  type ContactRecord,
  type ConversationRecord,
  type Job,
  type MessageRecord,
  messageReceived,
  type NumberRecord,
  type Subscription,
  type Transaction,
} from '#core';
import type { Input } from '#core/basics';
import { messageHandedBack } from '#core/messaging';
import type { Signal } from '../engine/session.js';
import { noneFits } from '../events.js';
import { sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import type { SessionStore } from '../sessions/session-store.js';
import { knownFields } from '../starting/initial-names.js';
import { startSignal } from '../starting/start-signal.js';
import { choose, inputWithParts, isLateReply, type SelectedSession } from './choose.js';
import { commitTurn } from './commit-turn.js';
import { consumeTurns } from './consume-turns.js';
import type { FinishedTurn } from './finished-turn.js';
import { answers, timers } from './queues.js';
import type { TurnOrder } from './turn-order.js';

/**
 * Queues the turn that answers a message in the transaction that records the message, so that a crash loses no answer. Journeys answer a
 * message that a webhook has claimed only if the webhook hands it back, and never one that its channel has recorded as quiet.
 */
export function queueAnswers({ webhookClaims }: Pick<JourneysContext, 'webhookClaims'>): Subscription[] {
  const queued = (tx: Transaction, { uuid, contact }: MessageRecord) => tx.push(answers, { message: uuid }, { id: uuid, serial: contact });
  return [
    beforeCommit(messageReceived, async (happened, tx) => {
      if (happened.message.quiet === undefined && !(await webhookClaims()?.of(tx, happened))) queued(tx, happened.message);
    }),
    beforeCommit(messageHandedBack, ({ message }, tx) => queued(tx, message)),
  ] as Subscription[];
}

/** Consumers that answer messages and end overdue waits. Jobs of one contact run one after the other. */
export function answering(context: JourneysContext, sessionStore: SessionStore, order: TurnOrder): Consumer<Transaction>[] {
  const { store, messages, numbers, contacts, conversations, journeys, announce } = context;

  async function answer(job: Job<{ message: string }>): Promise<void> {
    const message = await messages.get(job.payload.message);
    if (!message) return;
    await order.inOrder(message.contact, async () => {
      let current: MessageRecord | undefined = message;
      // Its contact can have been merged into another one since.
      while (current && !(await answerTo(job, current))) current = await messages.get(message.uuid);
    });
  }

  /** @returns false when another turn with the contact was committed in between */
  async function answerTo(job: Job<unknown>, message: MessageRecord): Promise<boolean> {
    const number = await numbers.get(message.number);
    if (!number) return true;
    const [contact, conversation] = await Promise.all([
      contacts.require(message.contact),
      conversations.ofContact(number.uuid, message.contact),
    ]);
    const selected = await choose(context, number, contact, message);
    const isDone = selected
      ? await runTurn(
          job,
          selected,
          signalOf(selected, number, contact, conversation, await inputWithParts(context, message)),
          { number, contact, message: message.uuid },
          JSON.stringify(message.content).length,
        )
      : await recordUnanswered(job, message);
    if (isDone && (await isLateReply(context, message, selected))) announceLateReply(message);
    return isDone;
  }

  function announceLateReply({ uuid, number, from }: MessageRecord): void {
    announce(advice, {
      name: 'reply_without_context',
      number,
      message: `${from} wrote after a waiting journey had expired. The message has no context.id, so the journey could not resume from its question.`,
      fix: 'When you post a reply, set context.id to the id of the message that the contact replied to: the id that the connector returned for that message.',
      about: { message: uuid },
    });
  }

  /** Announces that no journey answers the message, so that clients need not wait for an answer. */
  async function recordUnanswered(job: Job<unknown>, { uuid: message, number, contact, conversation }: MessageRecord): Promise<true> {
    await store.transaction(async (tx) => {
      tx.emit(noneFits, { message, number, contact, conversation });
      job.done(tx);
    });
    return true;
  }

  /**
   * Runs and commits a turn. `inputLength` is the length of the contact's message as JSON.
   * @returns false when another turn with the contact was committed in between, so this one was discarded
   */
  async function runTurn(
    job: Job<unknown>,
    selected: SelectedSession,
    signal: Signal,
    subject: Omit<FinishedTurn, keyof SelectedSession | 'result'>,
    inputLength = 0,
  ): Promise<boolean> {
    const { revisions } = selected.session;
    const session = selected.session.data === null ? null : await sessionStore.read(selected.session.data);
    // Checked before the turn runs: each retry would repeat its HTTP and model calls.
    context.channels.requireSupported(subject.number);
    return journeys.withRoom((session?.length ?? 0) + inputLength, async () => {
      const result = await journeys.runTurn({ revisions, session, signal, perform: context.journeys.performer(subject.number.uuid) });
      return store.transaction((tx) => commitTurn(context, sessionStore, tx, job, { ...subject, ...selected, result }));
    });
  }

  async function endWait(job: Job<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>): Promise<void> {
    const session = await store.open(sessions).get(job.payload.session);
    if (session?.state !== 'waiting' || session.turns !== job.payload.turns) return;
    if (job.payload.kind === 'timeout') {
      const [number, contact, journey] = await Promise.all([
        numbers.require(session.number),
        contacts.require(session.contact),
        journeys.require(session.journey),
      ]);
      const isDone = await runTurn(job, { journey, session, parked: session }, { kind: 'timeout' }, { number, contact, message: null });
      // The contact was merged, or has answered meanwhile.
      return isDone ? undefined : endWait(job);
    }
    await store.transaction(async (tx) => {
      const current = await tx.in(sessions).get(session.uuid);
      if (current?.state === 'waiting' && current.turns === session.turns) await sessionStore.expire(tx, current);
      job.done(tx);
    });
  }

  return [
    consumeTurns(answers, answer, async (_, { message }) => {
      const known = await messages.get(message);
      return known && { number: known.number, about: { contact: known.contact, message } };
    }),
    consumeTurns(timers, endWait, async (tx, { session }) => {
      const known = await tx.in(sessions).get(session);
      return known && { number: known.number, about: { contact: known.contact, journey: known.journey, session } };
    }),
  ];
}

function signalOf(
  selected: SelectedSession,
  number: NumberRecord,
  contact: ContactRecord,
  conversation: ConversationRecord | undefined,
  input: Input,
): Signal {
  return selected.session.data === null
    ? startSignal(selected, { number, contact, conversation, input })
    : { kind: 'input', input, contact: knownFields(contact, conversation) };
}
