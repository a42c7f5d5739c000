import { type PluginContext, recordReply } from '#core';
import { type Connections, tokenName } from '../assets/ai-connections.js';
import { storeRecording } from '../assets/ai-recordings.js';
import type { ModelEffect } from '../engine/effect.js';
import type { Performer } from '../running/performers.js';

/** Calls the model of a connection. Reads the token for each call, so that it stays in the secrets only. */
export function performModel({ store, models, secrets, clock }: PluginContext, connections: Connections): Performer<ModelEffect> {
  return async (effect, { number }) => {
    const connection = await connections.find(number, effect.connection);
    if (!connection) {
      return { kind: 'failed', code: 'ai_connection_not_found', reason: `AI connection '${effect.connection.slice(0, 60)}' not found` };
    }
    const { uuid, name, vendor, base_url, model: defaultModel, enabled, strict, fallback, rules, recordings, record } = connection;
    if (!enabled) return { kind: 'failed', code: 'ai_connection_disabled', reason: `the AI connection '${name}' is disabled` };
    const model = effect.model || defaultModel;
    const token = await secrets.get(tokenName(uuid));
    const { messages, tools, temperature, maxTokens } = effect;
    const startedAt = (clock.ofRequests ?? clock).monotonic();
    const request = {
      model,
      messages,
      tools,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    };
    const outcome = await models
      .open({ vendor, baseUrl: base_url ?? undefined, token, settings: { strict, fallback, rules, recordings } })
      .generate(request);
    if (outcome.kind === 'failed') return outcome;
    const { text, calls, tokens } = outcome;
    const recording = record ? await storeRecording({ store }, uuid, recordReply(request, { text, calls, tokens })) : undefined;
    const elapsedMs = Math.round((clock.ofRequests ?? clock).monotonic() - startedAt);
    return {
      kind: 'model',
      connection: { uuid, name, vendor, model },
      text,
      calls,
      tokens,
      elapsedMs,
      ...(recording !== undefined && { recording }),
    };
  };
}
