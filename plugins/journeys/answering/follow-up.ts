import { type Consumer, consume, type PluginContext, queue, type Transaction } from '#core';
import type { Effect } from '#core/areas';
import { handedOver } from '../events.js';
import type { SessionRecord } from '../records.js';
import { cancelStarts, planStart } from '../starting/planned-starts.js';
import { logAiCalls } from './ai-log.js';
import { type FinishedTurn, refusable } from './finished-turn.js';

/** An effect that a turn asked for and did not wait for. */
const deferrals = queue<{ number: string; effect: Effect }>('journeys.deferrals');

/** What a turn leads to beside its messages; it becomes true together with the turn. */
export async function followUp(context: PluginContext, tx: Transaction, taken: FinishedTurn, session: SessionRecord): Promise<void> {
  const { number, contact, journey, message, result } = taken;
  const about = { number: number.uuid, contact: contact.uuid };
  const labels = result.events.flatMap((event) => (event.type === 'label_added' ? event.label : []));
  if (labels.length > 0 && message !== null) await refusable(tx, taken, () => context.messages.label(tx, message, labels));
  for (const event of result.events) {
    if (event.type === 'scheduled') planStart(tx, { ...about, uuid: context.ids.uuid(), journey: event.journey, due_at: event.moment });
    if (event.type === 'schedule_cancelled') await cancelStarts(tx, contact.uuid, event.journey);
    if (event.type !== 'handed_over') continue;
    const { queue, note } = event;
    const reason = `Handed over by journey '${journey.name}'${note === '' ? '.' : `: ${note}`}`;
    await context.conversations.handOver(tx, number.uuid, contact.uuid, { queue, reason });
    tx.emit(handedOver, { ...about, journey: journey.uuid, session: session.uuid, queue, note });
  }
  await logAiCalls(context, tx, { number: number.uuid, session: session.uuid }, result.events);
  for (const effect of result.deferred) tx.push(deferrals, { number: number.uuid, effect });
}

/** Performs what nobody waits for. What comes of it is said in the log only when it is not what was hoped for. */
export const performingDeferred = ({ effects, log }: PluginContext): Consumer =>
  consume(deferrals, async ({ payload: { number, effect } }) => {
    const result = await effects.performer(number)(effect.kind === 'http' ? { ...effect, deferred: false } : effect);
    if (result.kind === 'http' && result.call.failures.length > 0) {
      log.warn('a request of a journey that nobody waits for failed', { number_id: number, failures: result.call.failures.join('; ') });
    }
  });
