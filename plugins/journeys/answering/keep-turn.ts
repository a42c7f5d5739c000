import {
  advice,
  type ContactRecord,
  type Job,
  type JsonObject,
  type MessageRecord,
  NumberNotSupported,
  type NumberRecord,
  PlatformError,
  type PluginContext,
  type Transaction,
  type Turn,
} from '#core';
import type { JourneyEvent, NewTurn, TurnResult } from '#core/areas';
import { turnTaken } from '../events.js';
import { type PromptRecord, type SessionRecord, sessions } from '../records.js';
import type { KeptSessions } from '../sessions/kept-sessions.js';
import { viewOf } from '../sessions/session.js';
import { type FinishedTurn, refusable } from './finished-turn.js';
import { followUp } from './follow-up.js';
import { timers } from './queues.js';
import { traceOf } from './turn-trace.js';

type SentTurn = Extract<JourneyEvent, { type: 'message_out' }>;

/**
 * Makes a turn true: what the journey said is on its way, what it wrote is written, the session waits or is over, and the
 * job is done, all in one transaction. Before it nothing has happened, so a crash neither loses nor repeats an answer.
 * @returns false, having done nothing, when another turn with the contact was kept since this one was chosen
 */
export async function keepTurn(
  context: PluginContext,
  kept: KeptSessions,
  tx: Transaction,
  job: Job<unknown>,
  taken: FinishedTurn,
): Promise<boolean> {
  const { number, contact, journey, result } = taken;
  const parked = await tx.in(sessions).getBy('parked', [number.uuid, contact.uuid]);
  if (parked?.uuid !== taken.parked?.uuid || parked?.turns !== taken.parked?.turns) return false;
  const now = context.clock.now();
  // Nothing else is chosen while a session waits, so the time of this one was up.
  if (parked && parked.uuid !== taken.session.uuid) await kept.expire(tx, parked);

  const written = contactFields(result.events);
  const current =
    Object.keys(written).length > 0
      ? ((await refusable(tx, taken, () => context.contacts.setFields(tx, number, contact.uuid, written))) ?? contact)
      : contact;
  const { next, head } = result;
  const about = {
    uuid: taken.session.uuid,
    number: number.uuid,
    contact: contact.uuid,
    journey: journey.uuid,
    card: head.card,
    // A session that was led back to an earlier question counts on, so that old timers are not taken for its own.
    turns: Math.max(head.turns, (parked?.uuid === taken.session.uuid ? parked.turns : 0) + 1),
    created_at: taken.session.created_at,
    updated_at: now.toISOString(),
    revisions: head.revisions,
  };
  let scope = contact.uuid;
  const asked: PromptRecord[] = [];
  for (const said of result.events.filter((event): event is SentTurn => event.type === 'message_out')) {
    const message = await say(context, tx, number, current, {
      turn: said.turn,
      author: { type: 'SYSTEM', id: journey.uuid, name: journey.name },
      step: { ...said.step, waiting: said.waiting },
      journey: { uuid: journey.uuid, session: about.uuid, block: said.at.block, card: said.at.card },
    });
    if (!message) continue;
    // What the messages were made from is the same that the session knows.
    scope = message.conversation;
    if (!said.waiting) continue;
    asked.push({
      message: message.uuid,
      session: about.uuid,
      journey: journey.uuid,
      revisions: head.revisions,
      replies: replyIds(said.turn),
      created_at: about.updated_at,
    });
  }
  const session =
    next.kind === 'wait'
      ? await kept.park(
          tx,
          { ...about, expires_at: new Date(now.getTime() + next.expiresIn * 1000).toISOString(), parked_for: contact.uuid },
          { data: result.session, scope, asked },
        )
      : await kept.end(tx, about, next.failure ? 'failed' : 'ended');
  await followUp(context, tx, taken, session);

  setTimers(tx, session, next, now);
  const failure = next.kind === 'end' && next.failure ? `${next.failure.code}: ${next.failure.reason}` : null;
  const types = result.events.map(({ type }) => type);
  tx.emit(turnTaken, { session: viewOf(session), message: taken.message, events: types, failure, ...traceOf(result.events) });
  job.done(tx);
  return true;
}

/** What may not be sent is left out, and said so; the journey goes on. */
async function say(
  { channels }: PluginContext,
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
      message: `The card '${turn.journey?.card || turn.journey?.block}' of journey '${turn.author.name}' said something that cannot be sent: ${error.message}.`,
      fix:
        error instanceof NumberNotSupported
          ? 'Load a plugin that carries the messages of this number, or let its journeys say nothing.'
          : 'Change the card so that the number can carry what it says.',
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
  // At the same moment the one that leads on goes first.
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
