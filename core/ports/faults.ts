/**
 * The port of faults: makes requests, responses and disk operations fail on purpose. Without it, which is the default, each place where
 * it could act costs one comparison with undefined.
 */

/** Where a fault can act. `delivery_order` decides before an attempt starts, `delivery` when it is sent. */
export type FaultPlace = 'delivery' | 'delivery_order' | 'api' | 'http' | 'model' | 'store';

/** The kinds of faults. Not every kind has an effect in every place. */
export const faultKinds = [
  /** The endpoint seems to respond with `status`; it does not receive the request. */
  'status',
  /** The response arrives `delay_ms` later; in the store, a sync takes so much longer. */
  'delay',
  /** The endpoint receives the request, and its response never arrives. */
  'timeout',
  /** The connection is refused; the endpoint does not receive the request. */
  'refuse',
  /** The endpoint receives the request, and the connection is reset before the response arrives. */
  'reset',
  /** The endpoint receives the request, and the connection is closed after half of the response body. */
  'half_body',
  /** The endpoint receives the request, and the response body is JSON that was cut off. */
  'bad_json',
  /** The host name does not exist; nothing is sent. */
  'dns',
  /** The endpoint receives the request `copies` more times. */
  'duplicate',
  /** The delivery starts `window_ms` later, so that newer ones overtake it. */
  'reorder',
  /** The signature is made with another key. */
  'wrong_signature',
  /** The signature is that of another body. */
  'stale_signature',
  /** Links to media files in the body have expired. */
  'expired_link',
  /** The disk has no space left. */
  'disk_full',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The effect of a fault, with the parameters of its kind. */
export interface FaultEffect {
  readonly kind: FaultKind;
  readonly status?: number | undefined;
  readonly delay_ms?: number | undefined;
  readonly copies?: number | undefined;
  readonly window_ms?: number | undefined;
}

/** A fault that acts now. */
export interface Fault {
  /** The id of the rule that caused it. */
  readonly rule: string;
  readonly effect: FaultEffect;
}

/** The request, call or operation that may fail: the fields that rules match, and `text`, the content that they search. */
export type FaultSubject = Readonly<Record<string, string | number | undefined>>;

/** Decides which faults act. */
export interface Faults {
  /** Returns the fault that acts now, and counts it; undefined when nothing is to fail. */
  fire(place: FaultPlace, subject: FaultSubject): Fault | undefined;
}
