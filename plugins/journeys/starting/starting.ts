import type { Consumer, Job, Transaction } from '#core';
import { commitTurn } from '../answering/commit-turn.js';
import { consumeTurns } from '../answering/consume-turns.js';
import { plannedStarts, sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import { isWaiting } from '../sessions/session.js';
import type { SessionStore } from '../sessions/session-store.js';
import type { PendingStarts, StartOutcome } from './pending-starts.js';
import { pushStart, starts } from './planned-starts.js';
import { startSignal } from './start-signal.js';

/** The consumer that runs scheduled starts. While another session waits for the contact, the start is postponed until that wait expires. */
export function starting(context: JourneysContext, sessionStore: SessionStore, pendingStarts: PendingStarts): Consumer<Transaction> {
  const { store, numbers, contacts, conversations, journeys, ids, clock, log } = context;

  async function start(job: Job<{ planned: string }>): Promise<void> {
    const { planned } = job.payload;
    try {
      pendingStarts.settle(planned, await outcomeOf(job));
    } catch (error) {
      pendingStarts.settle(planned, 'later');
      throw error;
    }
  }

  async function outcomeOf(job: Job<{ planned: string }>): Promise<StartOutcome> {
    const planned = await store.open(plannedStarts).get(job.payload.planned);
    if (!planned) return 'dropped';
    const [number, contact, journey] = await Promise.all([
      numbers.require(planned.number),
      contacts.require(planned.contact),
      journeys.get(planned.journey),
    ]);
    const revision = journey?.revisions.production ?? null;
    if (journey?.number !== number.uuid || journey.deleted_at !== null || !journey.enabled || revision === null) {
      log.warn('cannot start a scheduled journey: it is disabled, deleted or not published', {
        journey_id: planned.journey,
        contact_id: contact.uuid,
        number_id: number.uuid,
      });
      await store.transaction((tx) => {
        tx.in(plannedStarts).delete(planned.uuid);
        job.done(tx);
      });
      return 'dropped';
    }
    const parked = await store.open(sessions).getBy('parked', [number.uuid, contact.uuid]);
    if (isWaiting(parked, clock.now())) {
      await store.transaction((tx) => {
        pushStart(tx, planned, new Date(parked.expires_at));
        job.done(tx);
      });
      return 'later';
    }
    const conversation = await conversations.ofContact(number.uuid, contact.uuid);
    const session = { uuid: ids.uuid(), revisions: [revision], created_at: clock.now().toISOString(), data: null };
    context.channels.requireSupported(number);
    const result = await journeys.runTurn({
      revisions: session.revisions,
      session: null,
      signal: startSignal({ journey, session }, { number, contact, conversation }),
      perform: context.journeys.performer(number.uuid),
    });
    const outcome = await store.transaction(async (tx): Promise<StartOutcome | undefined> => {
      // Cancelled meanwhile: discard the turn.
      if (!(await tx.in(plannedStarts).get(planned.uuid))) return 'dropped';
      const turn = { number, contact, journey, session, parked, message: null, result };
      if (!(await commitTurn(context, sessionStore, tx, job, turn))) return undefined;
      tx.in(plannedStarts).delete(planned.uuid);
      return 'started';
    });
    // Another turn of the contact was committed in between, or it was merged: check again for a waiting session.
    return outcome ?? outcomeOf(job);
  }

  return consumeTurns(starts, start, async (tx, { planned }) => {
    const known = await tx.in(plannedStarts).get(planned);
    tx.in(plannedStarts).delete(planned);
    return known && { number: known.number, about: { contact: known.contact, journey: known.journey } };
  });
}
