import type { ContactSettings, StandInContact } from './contacts.js';
import type { MediaFile, MediaStore } from './media.js';
import type { Messages } from './messages.js';
import type { Network } from './network.js';
import type { StandInNumber } from './settings.js';
import type { WebhookOptions } from './webhooks.js';

/** How a contact writes. */
export interface WriteOptions extends WebhookOptions {
  /** The phone number id of the number that receives the message. Default: the first number. */
  readonly to?: string;
  /** The id of the message that this one replies to. */
  readonly replyTo?: string;
  /** Replaces the whole `context`, such as `{ forwarded: true }`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Another id than a new one, to send a message twice. */
  readonly id?: string;
  /** A file, for `image`, `audio`, `video`, `document` and `sticker`; the stand-in adds `id`, `mime_type`, `sha256` and `url`. */
  readonly file?: MediaFile;
  /** Further fields of the message, such as `errors` and `referral`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Messages of contacts, and changes of their numbers. */
export class Inbound {
  readonly #network: Network;
  readonly #messages: Messages;
  readonly #media: MediaStore;

  constructor(network: Network, messages: Messages, media: MediaStore) {
    this.#network = network;
    this.#messages = messages;
    this.#media = media;
  }

  /** A contact writes a message: text, or a type with its object. Resolves with its id after the first attempt of the webhook. */
  async write(from: string, message: string | Readonly<Record<string, unknown>>, options: WriteOptions = {}): Promise<string> {
    const { contacts, webhooks } = this.#network;
    const number = options.to === undefined ? this.#network.numbers[0]! : this.#network.number(options.to);
    const contact = contacts.of(from);
    const id = options.id ?? this.#network.messageId();
    const { type, ...content } = typeof message === 'string' ? { type: 'text', text: { body: message } } : message;
    const { replyTo, context = replyTo === undefined ? undefined : this.#quoted(number, contact, replyTo) } = options;
    const item = {
      ...contacts.waId('from', contact),
      from_user_id: contact.userId,
      id,
      timestamp: this.#network.timestamp(),
      type,
      ...content,
      ...(options.file && { [String(type)]: { ...this.#media.received(options.file), ...Object(content[String(type) as never]) } }),
      ...(context && { context }),
      ...options.fields,
    };
    contacts.wrote(number, contact);
    this.#messages.wrote(number, contact, id);
    this.#network.rates.count(number.phoneNumberId);
    await webhooks.emit([this.#network.change(number, { contacts: [contacts.card(contact)], messages: [item] })], options);
    return id;
  }

  /** A contact changes their number. As on the network, the webhook has no `contacts`. */
  async changeNumber(from: string, to: string, options: Pick<WriteOptions, 'to'> = {}): Promise<string> {
    const { contacts, webhooks } = this.#network;
    const number = options.to === undefined ? this.#network.numbers[0]! : this.#network.number(options.to);
    const before = contacts.of(from);
    const after = contacts.move(from, to);
    const id = this.#network.messageId();
    const body = `User ${before.name} changed from ${before.waId} to ${after.waId}`;
    const system = { body, type: 'user_changed_number', wa_id: after.waId };
    const item = { from: before.waId, from_user_id: after.userId, id, timestamp: this.#network.timestamp(), type: 'system', system };
    await webhooks.emit([this.#network.change(number, { messages: [item] })]);
    return id;
  }

  contact(address: string, settings: ContactSettings): StandInContact {
    return this.#network.contacts.set(address, settings);
  }

  /** The `context` of a reply: the sender of the quoted message, and its id. */
  #quoted(number: StandInNumber, contact: StandInContact, id: string): Readonly<Record<string, unknown>> {
    const isOurs = this.#messages.accepted.some((one) => one.id === id);
    return { from: isOurs ? number.address.replace('+', '') : contact.waId, id };
  }
}
