import type { StandInContact } from './contacts.js';
import { decodedParts, presentFields } from './fields.js';
import { GraphError } from './graph-error.js';
import { checkMessage } from './message-checks.js';
import type { GraphVersion, Network } from './network.js';
import type { StandInRule } from './rules.js';
import type { StandInNumber } from './settings.js';
import type { AcceptedMessage, Statuses } from './statuses.js';

type Body = Readonly<Record<string, unknown>>;

/** Checks of messages by other parts: of media, templates and flows. @returns the `message_status`, if the part has one @throws GraphError */
export type MessageCheck = (number: StandInNumber, message: Body) => string | undefined;

/** A message was marked as read, perhaps with a typing indicator. */
export interface ReadMark {
  readonly phoneNumberId: string;
  readonly id: string;
  readonly isTyping: boolean;
  readonly at: Date;
}

const REACTION_TARGET_MS = 30 * 24 * 60 * 60 * 1000;

/** `POST /{phone-number-id}/messages`. */
export class Messages {
  readonly accepted: AcceptedMessage[] = [];
  readonly readMarks: ReadMark[] = [];
  readonly #network: Network;
  readonly #statuses: Statuses;
  readonly #checks: readonly MessageCheck[];
  /** Messages that contacts wrote, and when. */
  readonly #inbound = new Map<string, { readonly number: StandInNumber; readonly contact: StandInContact; readonly at: number }>();

  constructor(network: Network, statuses: Statuses, checks: readonly MessageCheck[]) {
    this.#network = network;
    this.#statuses = statuses;
    this.#checks = checks;
  }

  wrote(number: StandInNumber, contact: StandInContact, id: string): void {
    this.#inbound.set(id, { number, contact, at: this.#network.clock.now().getTime() });
  }

  /** Sends a message, or marks one as read. @throws GraphError */
  post(number: StandInNumber, given: Body, version: GraphVersion, rule: StandInRule | undefined): Body {
    const posted = decodedParts(given);
    const body = presentFields(posted);
    if (body.messaging_product !== 'whatsapp') {
      const message = 'The parameter messaging_product is required.';
      throw new GraphError(100, undefined, { message: `(#100) ${message}` });
    }
    return body.status === undefined ? this.#send(number, { body, posted }, version, rule) : this.#read(number, body);
  }

  #read({ phoneNumberId }: StandInNumber, { status, message_id: id, typing_indicator: typing }: Body): Body {
    if (status !== 'read') throw new GraphError(131009, 'The parameter status must be read.');
    if (typeof id !== 'string' || id === '') throw new GraphError(131008, 'The parameter message_id is required.');
    if (this.#inbound.get(id)?.number.phoneNumberId !== phoneNumberId) {
      throw new GraphError(131009, 'The parameter message_id is not a message that this number received.');
    }
    this.readMarks.push({ phoneNumberId, id, isTyping: typing !== undefined, at: this.#network.clock.now() });
    return { success: true };
  }

  #send(
    number: StandInNumber,
    { body, posted }: { readonly body: Body; readonly posted: Body },
    version: GraphVersion,
    rule: StandInRule | undefined,
  ): Body {
    const { contacts, rates, clock, switches } = this.#network;
    checkMessage(body);
    const type = typeof body.type === 'string' ? body.type : 'text';
    const contact = this.#recipientOf(body);
    if (contact.waId === number.address.replace('+', '')) throw new GraphError(131021, 'The recipient is the sender.');
    const [partStatus] = this.#checks.map((check) => check(number, body)).filter((status) => status !== undefined);
    const isOpen = type === 'template' || switches.closedWindow === 'open' || contacts.hasOpenWindow(number, contact);
    if (!isOpen && switches.closedWindow === 'refuse') throw new GraphError(131047, CLOSED);
    rates.admit(number.phoneNumberId, contact.userId);

    const messageStatus = rule?.messageStatus ?? partStatus;
    const accepted: AcceptedMessage = {
      id: this.#network.messageId(),
      number,
      contact,
      type,
      body: posted,
      version,
      acceptedAt: clock.now(),
      statuses: [],
    };
    this.accepted.push(accepted);
    this.#statuses.plan(accepted, rule?.statuses, this.#failureOf(accepted, isOpen));
    return {
      messaging_product: 'whatsapp',
      contacts: [inputOf(body, contact)],
      messages: [{ id: accepted.id, ...(messageStatus !== undefined && { message_status: messageStatus }) }],
    };
  }

  /** @throws GraphError 131009 for a user id that does not exist */
  #recipientOf({ to, recipient }: Body): StandInContact {
    const { contacts } = this.#network;
    if (typeof to === 'string' && to !== '') {
      if (!/^\+?[\d\s()-]+$/.test(to)) throw new GraphError(131009, 'The parameter to is not a phone number.');
      return contacts.of(to);
    }
    const contact = contacts.withUserId(String(recipient));
    if (!contact) throw new GraphError(131009, 'The parameter recipient is not a user of this business.');
    return contact;
  }

  /** The code with which the network fails an accepted message. */
  #failureOf({ type, body, contact, number }: AcceptedMessage, isOpen: boolean): number | undefined {
    if (!contact.isOnNetwork) return 131026;
    if (!isOpen) return 131047;
    if (type !== 'reaction') return undefined;
    const target = this.#targetOf(String(body.reaction.message_id));
    const age = target ? this.#network.clock.now().getTime() - target.at : Number.POSITIVE_INFINITY;
    const isValid = target?.contact.userId === contact.userId && target.number === number && age < REACTION_TARGET_MS;
    return isValid ? undefined : 131009;
  }

  #targetOf(id: string) {
    const sent = this.accepted.find((one) => one.id === id && one.type !== 'reaction');
    return sent ? { ...sent, at: sent.acceptedAt.getTime() } : this.#inbound.get(id);
  }
}

const CLOSED = 'Message failed to send because more than 24 hours have passed since the customer last replied to this number.';

const inputOf = ({ to, recipient }: Body, { waId, userId }: StandInContact): Body =>
  to ? { input: to, wa_id: waId } : { input: recipient, wa_id: '', user_id: userId };
