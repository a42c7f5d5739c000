import type { PluginContext, Transaction } from '#core';
import type { JourneyEvent } from '#core/areas';
import { aiCalls } from '../records.js';

/** The newest calls of a number are kept, and older ones forgotten. */
export const AI_LOG_LENGTH = 1000;
const FORGOTTEN_AT_ONCE = 10;

type Asked = Extract<JourneyEvent, { type: 'ai_call' }>;

/** Writes down the AI calls of a turn, together with the turn. Simulations keep no turns, so theirs are never here. */
export async function logAiCalls(
  { ids, clock }: Pick<PluginContext, 'ids' | 'clock'>,
  tx: Transaction,
  about: { readonly number: string; readonly session: string },
  events: readonly JourneyEvent[],
): Promise<void> {
  const asked = events.filter((event): event is Asked => event.type === 'ai_call');
  if (asked.length === 0) return;
  const calls = tx.in(aiCalls);
  const [last] = await calls.find('count', { equals: [about.number], order: 'descending', limit: 1 });
  let count = last?.count ?? 0;
  for (const { at, connection, model, tokens, elapsedMs, outcome } of asked) {
    calls.put({
      ...about,
      uuid: ids.uuid(),
      at: clock.now().toISOString(),
      ...{ journey: at.journey, block: at.block, name: at.name },
      ...{ connection, model, tokens, elapsed_ms: elapsedMs, outcome },
      count: ++count,
    });
  }
  const limit = asked.length + FORGOTTEN_AT_ONCE;
  for (const { uuid } of await calls.find('count', { equals: [about.number], to: [count - AI_LOG_LENGTH], limit })) calls.delete(uuid);
}
