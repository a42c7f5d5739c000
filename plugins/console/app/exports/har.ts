import type { RecordedCall } from '#core';
import type { AttemptRecord, DeliveryAnswer, DeliveryDetail } from '../pages/deliveries/records.js';
import { texts } from './texts.js';

type Headers = readonly (readonly string[])[];

interface Body {
  readonly text: string | null;
  readonly size: number;
  readonly isBase64: boolean;
}

interface Exchange {
  readonly at: string;
  readonly ms: number;
  readonly method: string;
  readonly url: string;
  readonly sent: { readonly headers: Headers; readonly body: Body };
  /** Undefined without a response, whose status HAR writes as 0. */
  readonly received: { readonly status: number; readonly headers: Headers; readonly body: Body } | undefined;
  readonly timings: Readonly<Record<string, number>>;
  readonly comment: string;
}

const LOG = { version: '1.2', creator: { name: 'Posthorn console', version: '1' } };

/** An HTTP archive, version 1.2, as the network panels of browsers read it. Its exchanges are in the order of time within each page of records. */
export const harForm = <T, R>(whole: (item: T) => Promise<R | undefined>, exchangesOf: (record: R) => readonly Exchange[]) => ({
  ...{ ending: 'har', type: 'application/json', whole, isOldestFirst: true },
  around: [`{"log":${JSON.stringify(LOG).slice(0, -1)},"entries":[\n`, ',\n', '\n]}}\n'] as const,
  textOf: (records: readonly R[]) =>
    records
      .toReversed()
      .flatMap(exchangesOf)
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .map((one) => JSON.stringify(entryOf(one)))
      .join(',\n'),
});

/** HAR writes -1 for what is not known. */
const UNKNOWN = -1;

function entryOf({ at, ms, method, url, sent, received, timings, comment }: Exchange) {
  return {
    startedDateTime: at,
    time: ms,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(sent.headers),
      queryString: [...(URL.canParse(url) ? new URL(url).searchParams : [])].map(([name, value]) => ({ name, value })),
      // HAR has no base64 for requests.
      ...(sent.body.text !== null &&
        sent.body.text !== '' && {
          postData: {
            mimeType: typeOf(sent.headers),
            text: sent.body.text,
            ...(sent.body.isBase64 && { comment: texts.bytesAsBase64 }),
          },
        }),
      headersSize: UNKNOWN,
      bodySize: sent.body.size,
    },
    response: {
      status: received?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(received?.headers ?? []),
      content: {
        size: Math.max(0, received?.body.size ?? 0),
        mimeType: typeOf(received?.headers ?? []),
        ...(received?.body.text != null && { text: received.body.text, ...(received.body.isBase64 && { encoding: 'base64' }) }),
      },
      redirectURL: '',
      headersSize: UNKNOWN,
      bodySize: received?.body.size ?? UNKNOWN,
    },
    cache: {},
    timings,
    comment,
  };
}

const headersOf = (headers: Headers) => headers.map(([name = '', value = '']) => ({ name, value }));

const typeOf = (headers: Headers): string => headers.find(([name]) => name?.toLowerCase() === 'content-type')?.[1] ?? '';

const NO_BODY: Body = { text: null, size: 0, isBase64: false };

/** A call of the API. Credentials are masked, as the console shows them. */
export function exchangeOfCall({ id, at, ms, method, path, status, request, response, error }: RecordedCall, server: string): Exchange {
  const body = (one: RecordedCall['request']['body']): Body => ({ text: one.text, size: one.bytes ?? UNKNOWN, isBase64: false });
  return {
    at,
    ms,
    method,
    url: new URL(path, server).href,
    sent: { headers: request.headers, body: body(request.body) },
    received: { status, headers: response.headers, body: body(response.body) },
    timings: { send: 0, wait: ms, receive: 0 },
    comment: [id, error, ...[request, response].map(({ body: { cut } }) => cut && texts.bodyIsCut)].filter(Boolean).join('; '),
  };
}

/** The attempts of a delivery: byte by byte if they were recorded, otherwise the stored body and what is known of the response. */
export function exchangesOfDelivery({ delivery, body, attempts, details = [] }: DeliveryAnswer, webhookUrl: string): Exchange[] {
  return attempts.map((attempt) => {
    const detail = details.find((one) => one.attempt === attempt.uuid);
    const ms = attempt.duration_ms ?? 0;
    return {
      at: attempt.started_at,
      ms,
      method: 'POST',
      url: detail?.url ?? delivery.replay_url ?? webhookUrl,
      sent: detail
        ? { headers: detail.request.headers, body: bytesOf(detail.request.body) }
        : { headers: [], body: { text: body, size: delivery.body_bytes ?? UNKNOWN, isBase64: false } },
      received: detail ? receivedOf(detail.response) : responseOf(attempt),
      timings: timingsOf(detail, ms),
      comment: [delivery.uuid, attempt.error_code, !detail && texts.noHeaders].filter(Boolean).join('; '),
    };
  });
}

const bytesOf = ({ bytes, encoding, content }: DeliveryDetail['request']['body']): Body => ({
  text: content,
  size: bytes,
  isBase64: encoding === 'base64',
});

const receivedOf = (response: DeliveryDetail['response']): Exchange['received'] =>
  response ? { ...response, body: bytesOf(response.body) } : undefined;

function responseOf({ response, status, response_headers: headers }: AttemptRecord): Exchange['received'] {
  if (response === null) return undefined;
  return { status, headers: Object.entries(headers), body: { ...NO_BODY, text: response, size: UNKNOWN } };
}

function timingsOf(detail: DeliveryDetail | undefined, ms: number): Exchange['timings'] {
  const timing = detail?.timing;
  if (!timing) return { send: 0, wait: ms, receive: 0 };
  const { queue, dns, connect, tls, wait, read } = timing;
  // In HAR, `connect` contains the time of TLS.
  const connecting = connect === null && tls === null ? null : (connect ?? 0) + (tls ?? 0);
  const known = { blocked: queue, dns, connect: connecting, ssl: tls };
  return {
    ...Object.fromEntries(Object.entries(known).map(([name, value]) => [name, value ?? UNKNOWN])),
    send: 0,
    wait: wait ?? 0,
    receive: read ?? 0,
  };
}
