import type { HttpOutcome } from '../ports/http-client.js';
import type { AttemptRecord, DeliveryRecord, DeliverySettled } from './delivery.js';
import type { AttemptResult } from './retry.js';

const MAX_RESPONSE_BYTES = 4 * 1024;
/** Maximum total length of the names and values of response headers. */
const MAX_HEADER_CHARACTERS = 4 * 1024;

/** An attempt that has ended, with its outcome. */
export interface AttemptOutcome {
  readonly delivery: DeliveryRecord;
  readonly outcome: HttpOutcome;
  readonly result: AttemptResult;
  readonly about: Pick<AttemptRecord, 'started_at' | 'duration_ms' | 'lane'>;
}

/** The record of an attempt, without its signature. */
export function recordOf(uuid: string, { delivery, outcome, result, about }: AttemptOutcome): AttemptRecord {
  return {
    uuid,
    ...about,
    ...placeOf(delivery),
    result: result.kind,
    status: result.status,
    error_code: result.kind === 'delivered' ? null : result.reason,
    error: result.kind === 'delivered' ? null : result.error,
    response: outcome.kind === 'response' ? printed(outcome.body.subarray(0, MAX_RESPONSE_BYTES)) : null,
    response_headers: outcome.kind === 'response' ? headersWithinLimit(outcome.headers) : {},
  };
}

/** Approximate size of a record: that of the endpoint's response, because the rest has the same size in all records. */
export const bytesOf = ({ response, response_headers: headers }: AttemptRecord): number =>
  (response?.length ?? 0) + Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** The record of an attempt that started and has no outcome. It is repeated, although the endpoint may have received it. */
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
    error: 'the platform stopped or failed before the outcome was recorded; the attempt is repeated',
    response: null,
    response_headers: {},
  };
}

function placeOf({ uuid, run, attempts, interruptions = 0 }: DeliveryRecord): Pick<AttemptRecord, 'delivery' | 'run' | 'n' | 'trigger'> {
  const trigger = interruptions > 0 ? 'interrupted' : run > 1 && attempts === 0 ? 'manual' : 'auto';
  return { delivery: uuid, run, n: attempts, trigger };
}

/** The headers that fit the limit, in their order. A header that exceeds the limit is skipped; later headers may still fit. */
function headersWithinLimit(headers: Readonly<Record<string, string>>): Record<string, string> {
  let remaining = MAX_HEADER_CHARACTERS;
  const stored = Object.entries(headers).filter(([name, value]) => {
    const length = name.length + value.length;
    if (length > remaining) return false;
    remaining -= length;
    return true;
  });
  return Object.fromEntries(stored);
}

/** The response as listeners of `delivery.settled` receive it; null when there was none. */
export function responseOf(outcome: HttpOutcome | undefined): DeliverySettled['response'] {
  if (outcome?.kind !== 'response') return null;
  return { status: outcome.status, body: new TextDecoder().decode(outcome.body), cut: outcome.cut };
}

/** Decodes text without control characters, so that it is safe to print. */
const printed = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replace(/(?![\t\n\r])\p{Cc}/gu, '');
