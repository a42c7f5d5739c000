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
  type PluginContext,
  type Subscription,
  type Transaction,
} from '#core';
import { inputOf, type Signal } from '#core/areas';
import { noneFits } from '../events.js';
import { sessions } from '../records.js';
import type { KeptSessions } from '../sessions/kept-sessions.js';
import { knownFields, startSignal } from '../starting/start-signal.js';
import { choose, isLateReply, type SelectedSession } from './choose.js';
import { consumeTurns } from './consume-turns.js';
import type { FinishedTurn } from './finished-turn.js';
import { keepTurn } from './keep-turn.js';
import { answers, timers } from './queues.js';

/** A received message is answered later, but it is on the list from the moment it is recorded. */
export const queueAnswer: Subscription = beforeCommit(messageReceived, ({ message, contact }, tx) =>
  tx.push(answers, { message: message.uuid }, { id: message.uuid, serial: contact.uuid }),
);

/** Answers messages, and ends waits whose time is up. A contact's messages are answered one after the other. */
export function answering(context: PluginContext, kept: KeptSessions): Consumer<Transaction>[] {
  const { store, messages, numbers, contacts, conversations, journeys, announce } = context;

  async function answer(job: Job<{ message: string }>): Promise<void> {
    const message = await messages.get(job.payload.message);
    const number = message && (await numbers.get(message.number));
    if (!number) return;
    for (let isKept = false; !isKept; ) {
      const [contact, conversation] = await Promise.all([
        contacts.require(message.contact),
        conversations.ofContact(number.uuid, message.contact),
      ]);
      const selected = await choose(context, number, contact, message);
      isKept = selected
        ? await take(
            job,
            selected,
            signalOf(selected, number, contact, conversation, message),
            { number, contact, message: message.uuid },
            JSON.stringify(message.content).length,
          )
        : await leave(job, message);
      if (isKept && (await isLateReply(context, message, selected))) announceLateReply(message);
    }
  }

  function announceLateReply({ uuid, number, from }: MessageRecord): void {
    announce(advice, {
      name: 'reply_without_context',
      number,
      message: `${from} wrote after the time of a waiting journey was up, and the message names none it replies to, so it could not go on there.`,
      fix: 'Post context.id with replies: the id that the connector gave the message they reply to.',
      about: { message: uuid },
    });
  }

  /** Nobody answers. That is said, because whoever waits for an answer would wait in vain. */
  async function leave(job: Job<unknown>, { uuid: message, number, contact, conversation }: MessageRecord): Promise<true> {
    await store.transaction(async (tx) => {
      tx.emit(noneFits, { message, number, contact, conversation });
      job.done(tx);
    });
    return true;
  }

  /** Takes a turn; `told` is how long what the contact said is, as JSON. @returns whether it counts; it does not when another turn with the contact came in between */
  async function take(
    job: Job<unknown>,
    selected: SelectedSession,
    signal: Signal,
    about: Omit<FinishedTurn, keyof SelectedSession | 'result'>,
    told = 0,
  ): Promise<boolean> {
    const { revisions } = selected.session;
    const session = selected.session.data === null ? null : await kept.read(selected.session.data);
    // A turn that waits for its plugin is not begun: each try of it would ask the world outside again.
    context.channels.requireSupported(about.number);
    return journeys.withRoom((session?.length ?? 0) + told, async () => {
      const result = await journeys.runTurn({ revisions, session, signal, perform: context.effects.performer(about.number.uuid) });
      return store.transaction((tx) => keepTurn(context, kept, tx, job, { ...about, ...selected, result }));
    });
  }

  async function timeIsUp(job: Job<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>): Promise<void> {
    const session = await store.open(sessions).get(job.payload.session);
    if (session?.state !== 'waiting' || session.turns !== job.payload.turns) return;
    if (job.payload.kind === 'timeout') {
      const [number, contact, journey] = await Promise.all([
        numbers.require(session.number),
        contacts.require(session.contact),
        journeys.require(session.journey),
      ]);
      await take(job, { journey, session, parked: session }, { kind: 'timeout' }, { number, contact, message: null });
      return;
    }
    await store.transaction(async (tx) => {
      const current = await tx.in(sessions).get(session.uuid);
      if (current?.state === 'waiting' && current.turns === session.turns) await kept.expire(tx, current);
      job.done(tx);
    });
  }

  return [
    consumeTurns(answers, answer, async (_, { message }) => {
      const known = await messages.get(message);
      return known && { number: known.number, about: { contact: known.contact, message } };
    }),
    consumeTurns(timers, timeIsUp, async (tx, { session }) => {
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
  message: MessageRecord,
): Signal {
  const input = inputOf(message);
  return selected.session.data === null
    ? startSignal(selected, { number, contact, conversation, input })
    : { kind: 'input', input, contact: knownFields(contact, conversation) };
}
