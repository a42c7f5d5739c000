import {
  beforeCommit,
  type Consumer,
  type ContactRecord,
  consume,
  inputOf,
  type Job,
  type JsonObject,
  messageReceived,
  type NumberRecord,
  type PluginContext,
  type Signal,
  type Subscription,
} from '#core';
import { choose } from './choose.js';
import { performer } from './effects.js';
import { keepTurn, over } from './keep-turn.js';
import { answers, type SessionRecord, sessionExpired, sessions, timers, viewOf } from './sessions.js';

/** A received message is answered later, but it is on the list from the moment it is recorded. */
export const queueAnswer: Subscription = beforeCommit(messageReceived, ({ message, contact }, tx) =>
  tx.push(answers, { message: message.uuid }, { id: message.uuid, serial: contact.uuid }),
);

/** Answers messages, and ends waits whose time is up. A contact's turns are taken one after the other. */
export function answering(context: PluginContext): Consumer[] {
  const { store, messages, numbers, contacts, journeys, ids, clock } = context;

  async function answer(job: Job<{ message: string }>): Promise<void> {
    const message = await messages.get(job.payload.message);
    const number = message && (await numbers.get(message.number));
    const contact = message && (await contacts.get(message.contact));
    const way = number && contact && (await choose(context, number, contact, message));
    if (!way) return;
    const input = inputOf(message);
    if (way.kind === 'start') {
      const session = ids.uuid();
      const globals = globalsOf(number, contact, message.conversation, input.message ?? {});
      const signal: Signal = {
        kind: 'start',
        session,
        journey: way.journey.uuid,
        revision: way.revision,
        contact: contact.fields as JsonObject,
        globals,
        input,
      };
      const result = await journeys.runTurn({ revisions: [way.revision], session: null, signal, perform: performer(context, number.uuid) });
      await store.transaction((tx) =>
        keepTurn(context, tx, job, { number, contact, journey: way.journey, session, createdAt: clock.now().toISOString(), result }),
      );
    } else {
      await goOn(job, way.session, { kind: 'input', input, contact: contact.fields as JsonObject }, number, contact);
    }
  }

  async function goOn(
    job: Job<unknown>,
    session: SessionRecord,
    signal: Signal,
    number: NumberRecord,
    contact: ContactRecord,
  ): Promise<void> {
    const journey = await journeys.require(session.journey);
    const result = await journeys.runTurn({
      revisions: session.revisions,
      session: session.data,
      signal,
      perform: performer(context, number.uuid),
    });
    await store.transaction((tx) =>
      keepTurn(context, tx, job, { number, contact, journey, session: session.uuid, createdAt: session.created_at, result }),
    );
  }

  async function timeIsUp(job: Job<{ session: string; turns: number; kind: 'expiry' | 'timeout' }>): Promise<void> {
    const session = await store.open(sessions).get(job.payload.session);
    if (session?.state !== 'waiting' || session.turns !== job.payload.turns) return;
    if (job.payload.kind === 'timeout') {
      const [number, contact] = await Promise.all([numbers.require(session.number), contacts.require(session.contact)]);
      return goOn(job, session, { kind: 'timeout' }, number, contact);
    }
    await store.transaction(async (tx) => {
      const current = await tx.in(sessions).get(session.uuid);
      if (current?.state === 'waiting' && current.turns === session.turns) {
        const expired = over(current, 'expired', clock.now());
        tx.in(sessions).put(expired);
        tx.emit(sessionExpired, { session: viewOf(expired) });
      }
      job.done(tx);
    });
  }

  return [consume(answers, answer), consume(timers, timeIsUp)];
}

/** What a journey sees beside the contact (reference: the runtime context). */
function globalsOf(number: NumberRecord, contact: ContactRecord, conversation: string, message: JsonObject): JsonObject {
  return {
    number: { uuid: number.uuid, name: number.name, address: number.address },
    chat: { uuid: conversation, contact_uuid: contact.uuid, owner: contact.address },
    event: { message },
    global: {},
    organisation: {},
  };
}
