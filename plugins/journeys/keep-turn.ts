import type {
  ContactRecord,
  Job,
  JourneyEvent,
  JourneyRecord,
  JsonObject,
  NumberRecord,
  PluginContext,
  Transaction,
  TurnResult,
} from '#core';
import { prompts, type SessionRecord, sessions, timers, turnTaken, viewOf } from './sessions.js';

/** A turn that was taken, and for whom. */
export interface TakenTurn {
  readonly number: NumberRecord;
  readonly contact: ContactRecord;
  readonly journey: JourneyRecord;
  readonly session: string;
  readonly createdAt: string;
  readonly result: TurnResult;
}

type Said = Extract<JourneyEvent, { type: 'message_out' }>;

/**
 * Makes a turn true: what the journey said is on its way, what it wrote is written, the session waits or is over, and the
 * job is done, all in one transaction. Before it nothing has happened, so a crash neither loses nor repeats an answer.
 */
export async function keepTurn(context: PluginContext, tx: Transaction, job: Job<unknown>, taken: TakenTurn): Promise<void> {
  const { number, contact, journey, result } = taken;
  const now = context.clock.now();
  const written = contactFields(result.events);
  const current = Object.keys(written).length > 0 ? await context.contacts.setFields(tx, number, contact.uuid, written) : contact;

  const parked = await tx.in(sessions).getBy('parked', [number.uuid, contact.uuid]);
  if (parked && parked.uuid !== taken.session) tx.in(sessions).put(over(parked, 'ended', now));

  const { next, head } = result;
  const waits = next.kind === 'wait';
  const expires = waits ? new Date(now.getTime() + next.expiresIn * 1000) : null;
  const session: SessionRecord = {
    uuid: taken.session,
    number: number.uuid,
    contact: contact.uuid,
    journey: journey.uuid,
    state: waits ? 'waiting' : next.kind === 'end' && next.failure ? 'failed' : 'ended',
    card: head.card,
    turns: head.turns,
    expires_at: expires?.toISOString() ?? null,
    created_at: taken.createdAt,
    updated_at: now.toISOString(),
    revisions: head.revisions,
    data: result.session,
    ...(waits && { parked_for: contact.uuid }),
  };
  tx.in(sessions).put(session);

  for (const said of result.events.filter((event): event is Said => event.type === 'message_out')) {
    const message = await context.channels.send(tx, number, current, {
      turn: said.turn,
      author: { type: 'SYSTEM', id: journey.uuid, name: journey.name },
      step: { ...said.step, waiting: said.waiting },
      journey: { uuid: journey.uuid, session: session.uuid, block: said.at.block, card: said.at.card },
    });
    if (!said.waiting) continue;
    tx.in(prompts).put({
      message: message.uuid,
      session: session.uuid,
      journey: journey.uuid,
      turns: session.turns,
      revisions: session.revisions,
      data: session.data,
      created_at: session.updated_at,
    });
  }

  setTimers(tx, session, next, now);
  const failure = next.kind === 'end' && next.failure ? `${next.failure.code}: ${next.failure.reason}` : null;
  tx.emit(turnTaken, { session: viewOf(session), events: result.events.map((event) => event.type), failure });
  job.done(tx);
}

/** A session that waits no more. */
export function over({ parked_for: _, ...session }: SessionRecord, state: 'ended' | 'expired', now: Date): SessionRecord {
  return { ...session, state, expires_at: null, updated_at: now.toISOString() };
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
  at(next.kind === 'wait' ? next.expiresIn : undefined, 'expiry');
  at(next.kind === 'wait' ? next.timeoutIn : undefined, 'timeout');
}

function contactFields(events: readonly JourneyEvent[]): JsonObject {
  return Object.fromEntries(events.flatMap((event) => (event.type === 'contact_field_set' ? [[event.key, event.new]] : [])));
}
