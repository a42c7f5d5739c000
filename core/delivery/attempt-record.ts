import type { HttpOutcome } from '../ports/http-client.js';
import type { AttemptRecord, DeliveryRecord, DeliverySettled } from './delivery.js';
import type { AttemptResult } from './retry.js';

const RESPONSE_KEPT_BYTES = 4 * 1024;
/** Of the names and values of response headers together. */
const HEADERS_KEPT_CHARACTERS = 4 * 1024;

/** What is known of a try once it has ended. */
export interface AttemptOutcome {
  readonly delivery: DeliveryRecord;
  readonly outcome: HttpOutcome;
  readonly result: AttemptResult;
  readonly about: Pick<AttemptRecord, 'started_at' | 'duration_ms' | 'lane'>;
}

/** The account of a try. Its signature is not in it. */
export function recordOf(uuid: string, { delivery, outcome, result, about }: AttemptOutcome): AttemptRecord {
  return {
    uuid,
    ...about,
    ...placeOf(delivery),
    result: result.kind,
    status: result.status,
    error_code: result.kind === 'delivered' ? null : result.reason,
    error: result.kind === 'delivered' ? null : result.error,
    response: outcome.kind === 'response' ? printed(outcome.body.subarray(0, RESPONSE_KEPT_BYTES)) : null,
    response_headers: outcome.kind === 'response' ? firstHeaders(outcome.headers) : {},
  };
}

/** About what an account takes: what the endpoint answered, as the rest is the same for all. */
export const bytesOf = ({ response, response_headers: headers }: AttemptRecord): number =>
  (response?.length ?? 0) + Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** The account of a try that was begun and has no end. Nobody knows whether the endpoint heard of it, so it is made again. */
export function interruptedRecord(uuid: string, delivery: DeliveryRecord): AttemptRecord {
  return {
    uuid,
    ...placeOf(delivery),
    lane: delivery.lane ?? 'default',
    started_at: delivery.started_at ?? delivery.created_at,
    duration_ms: null,
    result: 'interrupted',
    status: 0,
    error_code: 'interrupted',
    error: 'the platform stopped or failed before it was known what came of it; it is sent again',
    response: null,
    response_headers: {},
  };
}

function placeOf({ uuid, run, attempts, interruptions = 0 }: DeliveryRecord): Pick<AttemptRecord, 'delivery' | 'run' | 'n' | 'trigger'> {
  const trigger = interruptions > 0 ? 'interrupted' : run > 1 && attempts === 0 ? 'manual' : 'auto';
  return { delivery: uuid, run, n: attempts, trigger };
}

/** As many headers as are kept, in their order; one that is too long is left out. */
function firstHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  let left = HEADERS_KEPT_CHARACTERS;
  const kept = Object.entries(headers).filter(([name, value]) => {
    const length = name.length + value.length;
    if (length > left) return false;
    left -= length;
    return true;
  });
  return Object.fromEntries(kept);
}

/** The answer for those who asked something. */
export function answerOf(outcome: HttpOutcome | undefined): DeliverySettled['response'] {
  if (outcome?.kind !== 'response') return null;
  return { status: outcome.status, body: new TextDecoder().decode(outcome.body), cut: outcome.cut };
}

/** Text that can be shown: what is not printable is dropped. */
const printed = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/(?![\t\n\r])\p{Cc}/gu, '');
