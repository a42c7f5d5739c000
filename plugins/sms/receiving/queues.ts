import { queue, type Transaction } from '#core';
import type { Fields, Gateway } from '../gateways/gateway.js';
import type { GatewayName } from '../options.js';

/** A callback of a gateway, stored before the response. */
export interface Received {
  /** The uuid of the number. */
  readonly number: string;
  readonly gateway: GatewayName;
  readonly what: 'messages' | 'statuses';
  readonly fields: Fields;
  /** When it came, in Unix seconds: gateways do not say when a message was reported. */
  readonly at: string;
  /** The message and its part that the address names, `<uuid>/<part>`. */
  readonly of?: string | undefined;
}

export const received = queue<Received>('sms.received');

/** Stores a callback as a job. The messages of a contact, and the reports on a message, are processed in order. @returns whether it is one of the gateway */
export function pushReceived(tx: Transaction, gateway: Gateway, given: Received): boolean {
  const about = given.what === 'messages' ? gateway.inbound(given.fields)?.from : gateway.report(given.fields)?.id;
  if (about === undefined) return false;
  const serial = given.what === 'messages' ? about : (given.of?.split('/')[0] ?? about);
  tx.push(received, given, { serial: `${given.number}/${given.what}/${serial}` });
  return true;
}
