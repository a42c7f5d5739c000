import type { TypeOf } from '#core';
import { readJson } from '#core/basics';
import type { ModelReply } from '#core/ports';
import type { EffectResult, JourneysContext, ModelEffect, Perform, Performer } from '../../journeys/plugin.js';
import type { modelCallSchema, modelReplySchema, modelsSchema } from './schemas.js';

/** Which model responds, by connection as the journey names it; `*` is for all others. Without an entry, the connection of the number does. */
export type SimulatedModels = TypeOf<typeof modelsSchema>;
export type GivenReply = TypeOf<typeof modelReplySchema>;
export type TracedModelCall = TypeOf<typeof modelCallSchema>;

interface ModelDeps {
  readonly models: SimulatedModels;
  /** Replies to the first calls of the turn, in place of any model. */
  readonly replies: readonly GivenReply[];
  /** Calls the connection of the number. */
  readonly real: Perform;
  readonly onCall: (call: TracedModelCall) => void;
}

/** Calls the models of a simulated turn, and reports each call. The token of a connection is not part of effects or results. */
export function simulatedModels(
  { models: opened, clock }: Pick<JourneysContext, 'models' | 'clock'>,
  { models, replies, real, onCall }: ModelDeps,
): Performer<ModelEffect> {
  let count = 0;
  const time = clock.ofRequests ?? clock;

  async function answer(effect: ModelEffect): Promise<readonly [TracedModelCall['answered_by'], EffectResult]> {
    const given = replies[count++];
    if (given) return ['given', resultOf(effect, 'given', { ...given, tokens: given.tokens ?? { input: 0, output: 0 } })];
    const chosen = models[effect.connection] ?? models['*'];
    if (!chosen) return ['connection', await real(effect)];
    const by = chosen.recordings ? 'recordings' : 'script';
    const { connection: _, kind: __, ...request } = effect;
    // A connection inserts its own model where the journey names none, and records that.
    const model = request.model || (chosen.recordings && modelIn(chosen.recordings[0]?.request)) || '';
    const outcome = await opened
      .open({ vendor: by === 'script' ? 'scripted' : 'replay', baseUrl: undefined, token: undefined, settings: { ...chosen } })
      .generate({ ...request, model });
    return [by, outcome.kind === 'failed' ? outcome : resultOf(effect, by, outcome)];
  }

  return async (effect) => {
    const since = time.monotonic();
    const [answered_by, result] = await answer(effect);
    const { connection, model, messages, tools, temperature, maxTokens } = effect;
    onCall({
      connection,
      answered_by,
      model: result.kind === 'model' ? result.connection.model : model,
      messages: messages.map((message) => ({ ...message })),
      tools: tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } })),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      reply:
        result.kind === 'model'
          ? { text: result.text, calls: result.calls.map((call) => ({ ...call })), tokens: { ...result.tokens } }
          : null,
      failure: result.kind === 'failed' ? { code: result.code, reason: result.reason } : null,
      elapsed_ms: Math.round(time.monotonic() - since),
    });
    return result;
  };
}

function modelIn(request = ''): string {
  const { model } = (readJson(request) ?? {}) as { readonly model?: unknown };
  return typeof model === 'string' ? model : '';
}

const resultOf = (
  { connection, model }: ModelEffect,
  vendor: string,
  { text, calls, tokens }: ModelReply,
): Extract<EffectResult, { kind: 'model' }> => ({
  kind: 'model',
  connection: { uuid: connection, name: connection, vendor, model },
  text,
  calls,
  tokens,
  elapsedMs: 0,
});
