import { type PluginContext, signPayload } from '#core';
import type { IntegrationRecord } from '../records.js';
import type { CallAbout, CallLog } from './call-log.js';
import { ANSWER_LIMITS, type Answer, readOutcome } from './read-answer.js';
import { secretOf, tokenOf } from './secrets.js';

/** Maximum time until the complete response has arrived, the same as for webhooks. The interface does not specify it. */
const ANSWER_LIMIT_MS = 5_000;

/** Posts to integrations, signed with the integration's secret and with its API token. */
export type Exchange = ReturnType<typeof createExchange>;

export function createExchange(
  { http, workers, secrets, dialect, clock }: Pick<PluginContext, 'http' | 'workers' | 'secrets' | 'dialect' | 'clock'>,
  calls?: CallLog,
) {
  return {
    /**
     * Posts a payload to a URL of an integration. Failed calls are a result, not a rejection. URLs of other origins are signed too, but never
     * get the API token. The body of the response to a click is not used, so it may have any size and encoding.
     * @param about for the log of calls
     */
    async post(integration: IntegrationRecord, url: string, payload: object, about: CallAbout): Promise<Answer & { readonly ms: number }> {
      const body = JSON.stringify(payload);
      const bodyMatters = about.kind !== 'action';
      const secret = await secrets.get(secretOf(integration.uuid));
      // The secret is deleted with the integration: if there is no secret, the integration was removed.
      if (secret === undefined) return { kind: 'trouble', trouble: { kind: 'removed', reason: 'the integration was removed' }, ms: 0 };
      const token =
        integration.authorization && isSameOrigin(url, integration.url) ? await secrets.get(tokenOf(integration.uuid)) : undefined;
      const signature = await workers.run(signPayload, { secret, body });
      const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        [dialect.headers.signature]: signature,
        ...(token !== undefined && { Authorization: `${integration.authorization} ${token}` }),
      };
      const at = clock.now();
      const startedAt = (clock.ofRequests ?? clock).monotonic();
      const outcome = await http.send({
        method: 'POST',
        url,
        headers,
        body,
        deadlineMs: ANSWER_LIMIT_MS,
        maxResponseBytes: ANSWER_LIMITS.bytes,
        bodyMatters,
      });
      const ms = Math.round((clock.ofRequests ?? clock).monotonic() - startedAt);
      const answer = readOutcome(outcome, bodyMatters);
      const trouble = answer.kind === 'trouble' ? answer.trouble : undefined;
      const known = token === undefined ? [secret] : [secret, token];
      calls?.add({ about, integration: integration.uuid, at, url, ms, headers, body, outcome, trouble, secrets: known });
      return { ...answer, ms };
    },
  };
}

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;
