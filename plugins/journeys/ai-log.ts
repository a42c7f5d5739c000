import { collection, fields, list, type PluginContext, type Route, route, type Transaction, type TypeOf, text, whole } from '#core';
import type { JourneyEvent } from '#core/areas';

/** The newest calls of a number are kept, and older ones forgotten. */
export const AI_LOG_LENGTH = 1000;
const FORGOTTEN_AT_ONCE = 10;

const callSchema = fields({
  uuid: text(),
  at: text(),
  number: text(),
  journey: text(),
  session: text(),
  /** The block that asked, by its uuid and its name. */
  block: text(),
  name: text().allow(''),
  /** The connection by its uuid; as the journey names it when there is none. */
  connection: text().allow(''),
  model: text().allow(''),
  tokens: fields({ input: whole(), output: whole() }),
  elapsed_ms: whole(),
  /** `answered`, or the code of what went wrong. */
  outcome: text(),
});
export type AiCallView = TypeOf<typeof callSchema>;

/** A model was asked in a real conversation. What was said is in the conversation, not here. */
export type AiCallRecord = AiCallView & {
  /** Counts up within the number. */
  readonly count: number;
};

export const aiCalls = collection<AiCallRecord>({ key: 'uuid', unique: { count: ['number', 'count'] } });

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

export function aiLogRoutes({ store, numbers }: PluginContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai-calls',
      summary: 'Lists what models were asked in conversations of a number, newest first; simulations are not in it.',
      request: { query: fields({ number: text() }, { limit: whole().min(1).max(AI_LOG_LENGTH) }) },
      responses: { 200: fields({ ai_calls: list(callSchema) }) },
      async handler({ query: { number, limit = 100 } }) {
        await numbers.require(number);
        const found = await store.open(aiCalls).find('count', { equals: [number], order: 'descending', limit });
        return { ai_calls: found.map(({ count: _, ...call }) => call) };
      },
    }),
  ];
}
