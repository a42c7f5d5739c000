import { type Consumer, consume, queue, type Transaction } from '#core';
import type { Effect } from '../engine/effect.js';
import { handedOver } from '../events.js';
import type { SessionRecord } from '../records.js';
import type { JourneysContext } from '../service.js';
import { cancelStarts, planStart } from '../starting/planned-starts.js';
import { logAiCalls } from './ai-log.js';
import { type FinishedTurn, tryWrite } from './finished-turn.js';

/** An effect whose result the turn does not wait for. */
const deferrals = queue<{ number: string; effect: Effect }>('journeys.deferrals');

/** Applies the consequences of a turn besides its messages, in the turn's transaction: labels, planned starts, hand-over, AI log, deferred effects. */
export async function followUp(context: JourneysContext, tx: Transaction, turn: FinishedTurn, session: SessionRecord): Promise<void> {
  const { number, contact, journey, message, result } = turn;
  const about = { number: number.uuid, contact: contact.uuid };
  const labels = result.events.flatMap((event) => (event.type === 'label_added' ? event.label : []));
  if (labels.length > 0 && message !== null) await tryWrite(tx, turn, () => context.messages.label(tx, message, labels));
  for (const event of result.events) {
    if (event.type === 'scheduled') planStart(tx, { ...about, uuid: context.ids.uuid(), journey: event.journey, due_at: event.moment });
    if (event.type === 'schedule_cancelled') await cancelStarts(tx, contact.uuid, event.journey);
    if (event.type !== 'handed_over') continue;
    const { queue, note } = event;
    const reason = `Handed over by journey '${journey.name}'${note === '' ? '.' : `: ${note}`}`;
    await context.conversations.handOver(tx, number.uuid, contact.uuid, { queue, reason });
    tx.emit(handedOver, { ...about, journey: journey.uuid, session: session.uuid, queue, note });
  }
  await logAiCalls(context, tx, { ...about, session: session.uuid }, result.events);
  for (const effect of result.deferred) tx.push(deferrals, { number: number.uuid, effect });
}

/** Performs deferred effects. Their results reach no journey, so failures are logged. */
export const performingDeferred = ({ journeys, log }: JourneysContext): Consumer =>
  consume(deferrals, async ({ payload: { number, effect } }) => {
    const result = await journeys.performer(number)(effect.kind === 'http' ? { ...effect, deferred: false } : effect);
    if (result.kind === 'http' && result.call.failures.length > 0) {
      log.warn('a deferred request of a journey failed', { number_id: number, failures: result.call.failures.join('; ') });
    }
  });
