import { randomBytes } from 'node:crypto';
import { SignedEndpoint, type SignedOptions } from '../signed.js';

/** How a run reaches a webhook receiver. */
export type WebhookOptions = SignedOptions;

/** The contact of every event; no network assigns numbers that begin with 999. */
export const CONTACT = '999000000001';
const BUSINESS = '999000000000';

/** The kinds of events (Events, table of subscriptions). */
export type EventName = 'inbound' | 'status' | 'reaction' | 'errors' | 'sent' | 'journey';

export class Webhook extends SignedEndpoint {
  readonly #run = randomBytes(4).toString('hex');
  #events = 0;

  subscription(): string {
    return this.network;
  }

  sample(text: string): string {
    return JSON.stringify(this.inbound({ type: 'text', text: { body: text } }));
  }

  /** The id of a new message. */
  id(): string {
    this.#events++;
    return `posthorn-conformance-${this.#run}-${this.#events}`;
  }

  /** An inbound message (Resources, "Inbound webhook event"). */
  inbound(content: object): { contacts: readonly object[]; messages: readonly object[] } {
    const message = { from: CONTACT, id: this.id(), timestamp: now(), ...content };
    return { contacts: [{ profile: { name: 'Conformance' }, wa_id: CONTACT }], messages: [message] };
  }

  /** A status (Resources, "Status notification event"). */
  status(status: string, more: object = {}): object {
    const about = { id: this.id(), status, timestamp: now(), recipient_id: CONTACT, message: { recipient_id: CONTACT }, ...more };
    return { statuses: [about] };
  }

  /** A sent message (Resources, "Sent-message event"). */
  sent(id: string, by: string): object {
    const about = { from: BUSINESS, id, timestamp: now(), to: CONTACT, recipient_type: 'individual', preview_url: false };
    return {
      ...about,
      type: 'text',
      text: { body: 'Your book is ready' },
      _vnd: { v1: { direction: 'outbound', author: { name: by }, labels: [] } },
    };
  }
}

const now = (): string => String(Math.floor(Date.now() / 1000));
