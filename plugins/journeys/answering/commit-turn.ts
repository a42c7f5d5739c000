import {
  advice,
  type ContactRecord,
  type Job,
  type JsonObject,
  type MessageRecord,
  NumberNotSupported,
  type NumberRecord,
  PlatformError,
  type Transaction,
  type Turn,
} from '#core';
import type { NewTurn } from '#core/messaging';
import type { JourneyEvent } from '../engine/session.js';
import { journeyStarted, turnTaken } from '../events.js';
import { type PromptRecord, type SessionRecord, sessions } from '../records.js';
import type { TurnResult } from '../running/run-turn.js';
import type { JourneysContext } from '../service.js';
import { viewOf } from '../sessions/session.js';
import type { SessionStore } from '../sessions/session-store.js';
import { type FinishedTurn, tryWrite } from './finished-turn.js';
import { followUp } from './follow-up.js';
import { timers } from './queues.js';
import { traceOf } from './turn-trace.js';

type SentTurn = Extract<JourneyEvent, { type: 'message_out' }>;

/**
 * Commits a turn in one transaction: queues its messages, writes contact fields and labels, parks or ends the session, and
 * finishes the job. A turn has no effect before, so a crash neither loses nor repeats an answer.
 * @returns false, having done nothing, when another turn with the contact was committed since this one was chosen, or the contact was merged
 */
export async function commitTurn(
  context: JourneysContext,
  sessionStore: SessionStore,
  tx: Transaction,
  job: Job<unknown>,
  turn: FinishedTurn,
): Promise<boolean> {
  const { number, contact, journey, result } = turn;
  const parked = await tx.in(sessions).getBy('parked', [number.uuid, contact.uuid]);
  if (parked?.uuid !== turn.parked?.uuid || parked?.turns !== turn.parked?.turns) return false;
  if ((await context.contacts.latest(tx, contact)).uuid !== contact.uuid) return false;
  const now = context.clock.now();
  // `choose` prefers a waiting session, so a parked session that was not chosen is overdue.
  if (parked && parked.uuid !== turn.session.uuid) await sessionStore.expire(tx, parked);

  const written = contactFields(result.events);
  const current =
    Object.keys(written).length > 0
      ? ((await tryWrite(tx, turn, () => context.contacts.setFields(tx, number, contact.uuid, written))) ?? contact)
      : contact;
  const { next, head } = result;
  const about = {
    uuid: turn.session.uuid,
    number: number.uuid,
    contact: contact.uuid,
    journey: journey.uuid,
    card: head.card,
    // A session that resumes from an earlier question continues its count, so that old timers do not match.
    turns: Math.max(head.turns, (parked?.uuid === turn.session.uuid ? parked.turns : 0) + 1),
    created_at: turn.session.created_at,
    updated_at: now.toISOString(),
    revisions: head.revisions,
    ...(turn.session.moved_from && { moved_from: turn.session.moved_from }),
  };
  if (turn.session.data === null) {
    const conversation = (await context.conversations.ofContact(number.uuid, contact.uuid))?.uuid ?? null;
    tx.emit(journeyStarted, {
      session: about.uuid,
      journey: journey.uuid,
      number: number.uuid,
      contact: contact.uuid,
      conversation,
      message: turn.message,
    });
  }
  let scope = contact.uuid;
  const questions: PromptRecord[] = [];
  for (const sent of result.events.filter((event): event is SentTurn => event.type === 'message_out')) {
    const message = await sendTurn(context, tx, number, current, {
      turn: sent.turn,
      author: { type: 'SYSTEM', id: journey.uuid, name: journey.name },
      step: { ...sent.step, waiting: sent.waiting },
      journey: { uuid: journey.uuid, session: about.uuid, block: sent.at.block, card: sent.at.card },
    });
    if (!message) continue;
    // Messages and session share long values: chunks of one scope are stored once.
    scope = message.conversation;
    if (!sent.waiting) continue;
    questions.push({
      message: message.uuid,
      number: number.uuid,
      session: about.uuid,
      journey: journey.uuid,
      revisions: head.revisions,
      replies: replyIds(sent.turn),
      created_at: about.updated_at,
    });
  }
  const failure = next.kind === 'end' && next.failure ? `${next.failure.code}: ${next.failure.reason}` : null;
  const session =
    next.kind === 'wait'
      ? await sessionStore.park(
          tx,
          { ...about, expires_at: new Date(now.getTime() + next.expiresIn * 1000).toISOString(), parked_for: contact.uuid },
          { data: result.session, scope, asked: questions },
        )
      : await sessionStore.end(tx, about, failure === null ? 'ended' : 'failed', failure);
  await followUp(context, tx, turn, session);
  await sessionStore.traffic.count(tx, number.uuid, result.events);

  setTimers(tx, session, next, now);
  const types = result.events.map(({ type }) => type);
  tx.emit(turnTaken, { session: viewOf(session), message: turn.message, events: types, failure, ...traceOf(result.events) });
  job.done(tx);
  return true;
}

/** Sends a message. A refused message is skipped with the advice `journey_message_refused`, so that one bad message does not stop the journey. */
async function sendTurn(
  { channels }: JourneysContext,
  tx: Transaction,
  number: NumberRecord,
  contact: ContactRecord,
  turn: NewTurn,
): Promise<MessageRecord | undefined> {
  try {
    return await channels.send(tx, number, contact, turn);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    tx.emit(advice, {
      name: 'journey_message_refused',
      number: number.uuid,
      message: `The card '${turn.journey?.card || turn.journey?.block}' of journey '${turn.author.name}' produced a message that cannot be sent: ${error.message}.`,
      fix:
        error instanceof NumberNotSupported
          ? 'Load a plugin with a channel driver for this kind of number, or remove messages from its journeys.'
          : 'Change the card so that its message is valid for this number.',
      about: { contact: contact.uuid, journey: turn.author.id },
    });
    return undefined;
  }
}

function setTimers(tx: Transaction, session: SessionRecord, next: TurnResult['next'], now: Date): void {
  const at = (seconds: number | undefined, kind: 'expiry' | 'timeout'): void => {
    const id = `${session.uuid}:${kind}`;
    if (seconds === undefined) {
      tx.cancel(timers, id);
    } else {
      const notBefore = new Date(now.getTime() + seconds * 1000);
      tx.push(timers, { session: session.uuid, turns: session.turns, kind }, { id, notBefore, serial: session.contact });
    }
  };
  // Pushed first: if both are due together, the timeout continues the journey before the expiry can end it.
  at(next.kind === 'wait' ? next.timeoutIn : undefined, 'timeout');
  at(next.kind === 'wait' ? next.expiresIn : undefined, 'expiry');
}

function replyIds(turn: Turn): readonly string[] {
  if (!('type' in turn) || turn.type !== 'interactive') return [];
  const { interactive } = turn;
  if (interactive.type === 'button') return interactive.action.buttons.map(({ reply }) => reply.id);
  return interactive.type === 'list' ? interactive.action.sections.flatMap(({ rows }) => rows.map(({ id }) => id)) : [];
}

function contactFields(events: readonly JourneyEvent[]): JsonObject {
  return Object.fromEntries(events.flatMap((event) => (event.type === 'contact_field_set' ? [[event.key, event.new]] : [])));
}
