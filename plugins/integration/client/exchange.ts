import { type PluginContext, signPayload } from '#core';
import type { IntegrationRecord } from '../records.js';
import { ANSWER_LIMITS, type Answer, readOutcome } from './read-answer.js';
import { secretOf, tokenOf } from './secrets.js';

/** Milliseconds an integration has for a whole answer, as a webhook has (decided; the interface does not say). */
const ANSWER_LIMIT_MS = 5_000;

/** Posts to integrations: signed with the integration's own secret, with its API token where that belongs. */
export type Exchange = ReturnType<typeof createExchange>;

export function createExchange({
  http,
  workers,
  secrets,
  dialect,
  clock,
}: Pick<PluginContext, 'http' | 'workers' | 'secrets' | 'dialect' | 'clock'>) {
  return {
    /** Never rejects for what the other side does. An address elsewhere is signed to as well, but never told the API token. */
    async post(
      integration: IntegrationRecord,
      url: string,
      payload: object,
      { bodyMatters = true }: { readonly bodyMatters?: boolean } = {},
    ): Promise<Answer & { readonly ms: number }> {
      const body = JSON.stringify(payload);
      const secret = await secrets.get(secretOf(integration.uuid));
      // Its secret goes with it: without one it was removed since, and is told nothing more.
      if (secret === undefined) return { kind: 'trouble', trouble: { kind: 'removed', reason: 'it was removed' }, ms: 0 };
      const token =
        integration.authorization && isSameOrigin(url, integration.url) ? await secrets.get(tokenOf(integration.uuid)) : undefined;
      const signature = await workers.run(signPayload, { secret, body });
      const began = clock.monotonic();
      const outcome = await http.send({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
          [dialect.headers.signature]: signature,
          ...(token !== undefined && { authorization: `${integration.authorization} ${token}` }),
        },
        body,
        deadlineMs: ANSWER_LIMIT_MS,
        maxResponseBytes: ANSWER_LIMITS.bytes,
        bodyMatters,
      });
      return { ...readOutcome(outcome, bodyMatters), ms: Math.round(clock.monotonic() - began) };
    },
  };
}

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;
