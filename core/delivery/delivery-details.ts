import { Newest, type NewestLimits } from '../memory/newest.js';
import type { Fault } from '../ports/faults.js';
import { type HttpOutcome, type HttpTiming, shownHeaders } from '../ports/http-client.js';
import type { OutboundRequest } from '../ports/outbound.js';
import { anyString, array, boolean, integer, named, nullable, number, object, oneOf, string, type TypeOf } from '../shape.js';
import type { AttemptRecord, DeliveryRecord } from './delivery.js';
import { shownBytes } from './shown-body.js';
import { signatureStepSchema, signatureSteps } from './signature-steps.js';

/** A longer body is cut. */
const MAX_BODY_BYTES = 256 * 1024;
/** Approximate heap of an attempt's details without bodies and headers. */
const DETAIL_BYTES = 1_000;

const headerList = array(array(anyString()).length(2));
const milliseconds = nullable(number());

const bodySchema = object({
  bytes: integer(),
  /** `base64` if the bytes are not UTF-8. */
  encoding: oneOf('utf8', 'base64'),
  content: anyString(),
  /** Whether the platform did not read, or does not keep, the rest. */
  cut: boolean(),
});

export const deliveryDetailSchema = named(
  'DeliveryDetail',
  object({
    /** The uuid of the attempt; null while its outcome is being recorded. */
    attempt: nullable(string()),
    url: string(),
    request: object({ headers: headerList, body: bodySchema }),
    signatures: array(
      object({
        header: string(),
        signature: string(),
        /** How it was made, without the key. */
        steps: array(signatureStepSchema),
      }),
    ),
    response: nullable(object({ status: integer(), headers: headerList, body: bodySchema })),
    /** Null if the HTTP client does not measure them; a phase is null if it did not happen. */
    timing: nullable(
      object({ queue: milliseconds, dns: milliseconds, connect: milliseconds, tls: milliseconds, wait: milliseconds, read: milliseconds }),
    ),
    /** The fault rule that acted. */
    fault: nullable(object({ rule: string(), kind: string() })),
  }),
);
/** The recorded exchange of an attempt: request, response and the steps of its signature. */
export type DeliveryDetail = TypeOf<typeof deliveryDetailSchema>;

/** The details of an attempt in memory. */
interface KeptDetail {
  readonly run: number;
  readonly n: number;
  readonly startedAt: string | undefined;
  readonly url: string;
  /** Each name, followed by its value. */
  readonly headers: readonly string[];
  readonly secretHeaders: readonly string[] | undefined;
  readonly body: string;
  readonly bodyBytes: number;
  /** Whether `body` describes bytes that are not kept. */
  readonly isSummary: boolean;
  readonly signatureHeaders: readonly string[];
  readonly response:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array; readonly cut: boolean }
    | undefined;
  readonly timing: HttpTiming | undefined;
  readonly fault: Fault | undefined;
}

/** The exchanges of attempts, byte by byte: in memory, beside the records of deliveries, and only of the newest attempts. */
export type DeliveryDetails = ReturnType<typeof createDeliveryDetails>;

export function createDeliveryDetails(limits: NewestLimits) {
  const kept = new Newest<KeptDetail>(limits);
  return {
    add({ uuid, run, attempts: n, started_at: startedAt }: DeliveryRecord, request: OutboundRequest, outcome: HttpOutcome): void {
      const { url, shownUrl = url, body, signatures, secretHeaders, fault } = request;
      const { requestHeaders: headers = Object.entries(request.headers ?? {}).flat(), timing } = outcome.exchange ?? {};
      const bodyBytes = Buffer.byteLength(body);
      const isSummary = typeof body !== 'string';
      const text = isSummary ? shownBytes(body, contentTypeOf(headers)) : body;
      const shown = text.length > MAX_BODY_BYTES ? text.slice(0, MAX_BODY_BYTES) : text;
      const response =
        outcome.kind === 'response'
          ? { status: outcome.status, headers: outcome.headers, body: outcome.body.slice(0, MAX_BODY_BYTES), cut: outcome.cut }
          : undefined;
      const detail: KeptDetail = {
        run,
        n,
        startedAt,
        url: shownUrl,
        headers,
        secretHeaders,
        body: shown,
        bodyBytes,
        isSummary,
        response,
        timing,
        fault,
        signatureHeaders: signatures.map(({ header }) => header),
      };
      kept.add(uuid, detail, DETAIL_BYTES + shown.length + (response?.body.length ?? 0) + sizeOf(headers));
    },

    /** Removes the attempts whose request or response the condition selects. */
    forget(mentions: (text: string) => boolean): void {
      kept.remove(({ body, response }) => mentions(body) || (response !== undefined && mentions(Buffer.from(response.body).toString())));
    },

    /** The fault that acted on the newest attempt of a delivery, if one did and the attempt is still kept. */
    faultOf: (uuid: string): Fault | undefined => kept.of(uuid).at(-1)?.fault,

    /** The details of a delivery's attempts, oldest first; of older attempts there are none. */
    of: (uuid: string, attempts: readonly AttemptRecord[]): DeliveryDetail[] =>
      kept.of(uuid).map((detail) => {
        const attempt = attempts.find(({ run, n, started_at }) => run === detail.run && n === detail.n && started_at === detail.startedAt);
        return detailOf(detail, attempt?.uuid ?? null);
      }),
  };
}

/** The headers are each name, followed by its value. */
const contentTypeOf = (headers: readonly string[]): string | undefined =>
  headers[headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type') + 1 || headers.length];

const sizeOf = (headers: readonly string[]): number => headers.reduce((size, { length }) => size + length, 0);

function detailOf(detail: KeptDetail, attempt: string | null): DeliveryDetail {
  const { url, headers, secretHeaders, body, bodyBytes, isSummary, signatureHeaders, response, timing, fault } = detail;
  const isCut = isSummary || Buffer.byteLength(body) < bodyBytes;
  return {
    attempt,
    url,
    request: {
      headers: shownHeaders(headers, secretHeaders),
      body: { bytes: bodyBytes, encoding: 'utf8', content: body, cut: isCut },
    },
    signatures: signatureHeaders.flatMap((header) => {
      const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === header.toLowerCase());
      const signature = at < 0 ? undefined : headers[at + 1];
      // The steps are those of the whole body, which is not kept if it is long.
      const steps = signature === undefined || isCut ? [] : signatureSteps(body, signature, { header });
      return signature === undefined ? [] : [{ header, signature, steps }];
    }),
    response: response
      ? {
          status: response.status,
          headers: shownHeaders(Object.entries(response.headers).flat()),
          body: { ...encoded(response.body), cut: response.cut },
        }
      : null,
    timing: timing ? { ...timing } : null,
    fault: fault ? { rule: fault.rule, kind: fault.effect.kind } : null,
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function encoded(bytes: Uint8Array): { readonly bytes: number; readonly encoding: 'utf8' | 'base64'; readonly content: string } {
  try {
    return { bytes: bytes.length, encoding: 'utf8', content: utf8.decode(bytes) };
  } catch {
    return { bytes: bytes.length, encoding: 'base64', content: Buffer.from(bytes).toString('base64') };
  }
}
