import type { PluginContext, Transaction } from '#core';
import { noteContact } from '../assets/ai-recordings.js';
import type { JourneyEvent } from '../engine/session.js';
import { aiCalls } from '../records.js';

/** The number of AI calls stored per number; older ones are evicted. */
export const AI_LOG_LENGTH = 1000;
/** Evictions per turn beyond the calls it adds, so that a log over its length shrinks. */
const EVICTION_BATCH = 10;

type AiCallEvent = Extract<JourneyEvent, { type: 'ai_call' }>;

/** Records the AI calls of a turn in the turn's transaction. Simulations commit no turns, so the log has none of their calls. */
export async function logAiCalls(
  { ids, clock }: Pick<PluginContext, 'ids' | 'clock'>,
  tx: Transaction,
  { contact, ...about }: { readonly number: string; readonly session: string; readonly contact: string },
  events: readonly JourneyEvent[],
): Promise<void> {
  const made = events.filter((event): event is AiCallEvent => event.type === 'ai_call');
  if (made.length === 0) return;
  const calls = tx.in(aiCalls);
  const [last] = await calls.find('count', { equals: [about.number], order: 'descending', limit: 1 });
  let count = last?.count ?? 0;
  for (const { at, connection, model, tokens, elapsedMs, outcome, recording } of made) {
    calls.put({
      ...about,
      uuid: ids.uuid(),
      at: clock.now().toISOString(),
      journey: at.journey,
      block: at.block,
      name: at.name,
      connection,
      model,
      tokens,
      elapsed_ms: elapsedMs,
      outcome,
      ...(recording !== undefined && { recording }),
      count: ++count,
    });
    if (recording !== undefined) await noteContact(tx, connection, recording, contact);
  }
  const limit = made.length + EVICTION_BATCH;
  for (const { uuid } of await calls.find('count', { equals: [about.number], to: [count - AI_LOG_LENGTH], limit })) calls.delete(uuid);
}
