import type { HttpOutcome } from '../ports/http-client.js';
import type { EndedAttempt } from '../ports/outbox.js';
import type { AttemptRecord, DeliveryEntry, DeliveryRecord, DeliverySettled, StoredAttempt } from './delivery.js';
import { noResponseOf } from './no-response.js';
import { bodyText, plainBody } from './response-text.js';
import type { AttemptResult } from './retry.js';

/** The rest of a longer response is not kept. */
export const MAX_RESPONSE_BYTES = 4 * 1024;
/** Maximum total length of the names and values of response headers. */
const MAX_HEADER_CHARACTERS = 4 * 1024;

/** An attempt that has ended, with its outcome. */
export interface AttemptOutcome {
  /** As it was started. */
  readonly entry: DeliveryEntry;
  readonly outcome: HttpOutcome;
  readonly result: AttemptResult;
  readonly about: { readonly started_at: string; readonly duration_ms: number; readonly lane: StoredAttempt['lane'] };
}

/** The record of an attempt, without its signature. */
export function endedAttempt({ entry: { record: delivery }, outcome, result, about }: AttemptOutcome): EndedAttempt<StoredAttempt> {
  const failure = 'error' in result ? result : undefined;
  const isResponse = outcome.kind === 'response';
  return {
    run: delivery.run,
    n: delivery.attempts,
    ended: {
      started_at: about.started_at,
      duration_ms: about.duration_ms,
      lane: about.lane,
      trigger: triggerOf(delivery),
      result: failure?.kind ?? 'delivered',
      status: result.status,
      no_response: noResponseOf(outcome),
      error_code: failure?.reason,
      error: failure?.error,
      response: isResponse ? printed(plainBody(outcome).subarray(0, MAX_RESPONSE_BYTES)) : undefined,
      response_headers: isResponse ? headersWithinLimit(outcome.headers) : {},
    },
  };
}

/** Approximate size of an attempt: that of the endpoint's response, because the rest has the same size in all attempts. */
export function bytesOf({ response, response_headers: headers }: StoredAttempt): number {
  let bytes = response?.length ?? 0;
  for (const name in headers) bytes += name.length + headers[name]!.length;
  return bytes;
}

/** The record of an attempt that started and has no outcome. It is repeated, although the endpoint may have received it. */
export const interruptedAttempt = (delivery: DeliveryRecord): EndedAttempt<StoredAttempt> => ({
  run: delivery.run,
  n: delivery.attempts,
  ended: {
    started_at: delivery.started_at ?? delivery.created_at,
    duration_ms: undefined,
    lane: delivery.lane ?? 'default',
    trigger: triggerOf(delivery),
    result: 'interrupted',
    status: 0,
    no_response: 'interrupted',
    error_code: 'interrupted',
    error: 'the platform stopped or failed before the outcome was recorded; the attempt is repeated',
    response: undefined,
    response_headers: {},
  },
});

/** How many calls of this run have succeeded, so that another one followed. */
export const callsOf = ({ record, attempts }: DeliveryEntry): number =>
  Object.entries(attempts).filter(([place, { result }]) => result === 'delivered' && place.startsWith(`${record.run}.`)).length;

/** How many recorded attempts have the number of an attempt that ends now: those that were interrupted. */
export function repetitionsOf({ attempts }: DeliveryEntry, { run, n }: EndedAttempt<StoredAttempt>): number {
  const place = `${run}.${n}`;
  let repetitions = 0;
  while ((repetitions === 0 ? place : `${place}.${repetitions}`) in attempts) repetitions++;
  return repetitions;
}

/** The attempts of a delivery in their order, as the admin API shows them. */
export const attemptsOf = ({ record, attempts }: DeliveryEntry): AttemptRecord[] =>
  Object.entries(attempts).map(([place, attempt]) => {
    const [run, n, interruptions = 0] = place.split('.').map(Number) as [number, number, number?];
    return attemptRecord(record.uuid, { run, n, ended: attempt }, interruptions);
  });

/** An attempt as the admin API and events show it. Its uuid follows from the delivery and the place of the attempt. */
export const attemptRecord = (delivery: string, { run, n, ended }: EndedAttempt<StoredAttempt>, interruptions: number): AttemptRecord => ({
  uuid: attemptUuid(delivery, ((run * 4096 + n) * 64 + interruptions + 1) >>> 0),
  delivery,
  run,
  n,
  trigger: ended.trigger!,
  lane: ended.lane!,
  started_at: ended.started_at,
  duration_ms: ended.duration_ms ?? null,
  result: ended.result!,
  status: ended.status!,
  no_response: ended.no_response ?? null,
  error_code: ended.error_code ?? null,
  error: ended.error ?? null,
  response: ended.response ?? null,
  response_headers: ended.response_headers ?? {},
});

/** The attempt that started last; undefined before the first. */
export const newestAttempt = ({ attempts }: DeliveryEntry): StoredAttempt | undefined => Object.values(attempts).at(-1);

const UUID_TAIL = 8;

/** The uuid of the delivery with other last digits, which are random in every kind of uuid. */
function attemptUuid(delivery: string, place: number): string {
  const tail = Number.parseInt(delivery.slice(-UUID_TAIL), 16);
  return delivery.slice(0, -UUID_TAIL) + ((tail ^ place) >>> 0).toString(16).padStart(UUID_TAIL, '0');
}

const triggerOf = ({ run, attempts, interruptions = 0 }: DeliveryRecord): AttemptRecord['trigger'] =>
  interruptions > 0 ? 'interrupted' : run > 1 && attempts === 0 ? 'manual' : 'auto';

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
  return { status: outcome.status, body: bodyText(outcome), cut: outcome.cut };
}

const decoder = new TextDecoder();

/** Decodes text without control characters, so that it is safe to print. */
const printed = (bytes: Uint8Array): string => (bytes.length === 0 ? '' : decoder.decode(bytes).replace(/(?![\t\n\r])\p{Cc}/gu, ''));
