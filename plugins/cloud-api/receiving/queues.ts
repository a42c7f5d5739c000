import { type JsonObject, queue } from '#core';

/** One message, status or other event of a webhook call, stored before the response to the call. */
export interface Received {
  /** The uuid of the number that it is for. */
  readonly number: string;
  readonly kind: 'message' | 'status' | 'event';
  /** The `field` of the change. */
  readonly field: string;
  /** The message or status; the whole value of other changes. */
  readonly value: JsonObject;
  /** The contact that belongs to a message, if the network sent one. */
  readonly contact?: JsonObject;
}

export const received = queue<Received>('cloud-api.received');

/** Jobs that delete an early status whose message did not appear. */
export const earlyExpiries = queue<{ key: string }>('cloud-api.early-expiries', ({ key }) => ({
  kind: 'status',
  id: key,
  title: `end of the wait for the message of a status`,
}));
