import type { Clock } from '../../ports/clock.js';
import type { FaultEffect } from '../../ports/faults.js';
import type { HttpOutcome, HttpRequest } from '../../ports/http-client.js';

/** A response that a fault invents has this body, so that it is recognized in a log. */
const INVENTED = '{"error":"a fault rule made this response"}';
/** JSON that ends too early. */
const BROKEN = '{"messages":[{"id":';

type Unreachable = Extract<HttpOutcome, { kind: 'unreachable' }>;

const failed = (code: string, reason: string, permanent = false): Unreachable => ({
  kind: 'unreachable',
  permanent,
  code,
  reason,
  elapsedMs: 0,
});

/**
 * Makes a request fail as `effect` says: the outcome is the one that the HTTP client returns for a real failure of this kind. Waits by
 * the platform's clock, so that a manual clock need not wait. Kinds that concern other places send the request unchanged.
 */
export async function faultyExchange(
  effect: FaultEffect,
  request: Pick<HttpRequest, 'url' | 'shownUrl' | 'deadlineMs' | 'bodyMatters' | 'signal'>,
  clock: Pick<Clock, 'sleep'>,
  send: () => Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  const { kind, status = 500, delay_ms: delayMs = 1_000, copies = 1 } = effect;
  const { deadlineMs, signal } = request;
  switch (kind) {
    case 'status':
      return {
        kind: 'response',
        status,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(INVENTED),
        cut: false,
        elapsedMs: 0,
      };
    case 'refuse':
      return failed('ECONNREFUSED', 'the connection was refused');
    case 'dns':
      return failed('ENOTFOUND', `the host ${hostOf(request.shownUrl ?? request.url)} does not exist`, true);
    case 'delay': {
      const outcome = await send();
      const elapsedMs = outcome.elapsedMs + delayMs;
      if (elapsedMs < deadlineMs) {
        await clock.sleep(delayMs, signal);
        return { ...outcome, elapsedMs };
      }
      return timeout(outcome);
    }
    case 'timeout':
      return timeout(await send());
    case 'reset': {
      const { elapsedMs, exchange } = await send();
      return { ...failed('ECONNRESET', 'the connection was reset'), elapsedMs, exchange };
    }
    case 'half_body': {
      const outcome = await send();
      if (outcome.kind !== 'response') return outcome;
      if (request.bodyMatters === false) return { ...outcome, body: outcome.body.subarray(0, outcome.body.length >> 1), cut: true };
      const { elapsedMs, exchange } = outcome;
      return { ...failed('UND_ERR_SOCKET', 'the connection was closed before the response was complete'), elapsedMs, exchange };
    }
    case 'bad_json': {
      const outcome = await send();
      return outcome.kind === 'response' ? { ...outcome, body: Buffer.from(BROKEN) } : outcome;
    }
    case 'duplicate': {
      const [outcome] = await Promise.all(Array.from({ length: copies + 1 }, send));
      return outcome!;
    }
    default:
      return send();
  }

  /** The request was sent; its response counts as never received. */
  async function timeout({ elapsedMs, exchange }: HttpOutcome): Promise<HttpOutcome> {
    await clock.sleep(Math.max(0, deadlineMs - elapsedMs), signal);
    return { kind: 'timeout', elapsedMs: deadlineMs, exchange };
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);
