import type { StandInContact } from './contacts.js';
import { type GraphErrorFields, webhookError } from './graph-error.js';
import type { GraphVersion, Network } from './network.js';
import { errorOf, type PlannedStatus, type StandInStatus } from './rules.js';
import type { StandInNumber } from './settings.js';
import type { Change } from './webhooks.js';

/** A message that the stand-in accepted. */
export interface AcceptedMessage {
  readonly id: string;
  readonly number: StandInNumber;
  readonly contact: StandInContact;
  readonly type: string;
  /** The body of the request. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the message
  readonly body: Readonly<Record<string, any>>;
  readonly version: GraphVersion;
  readonly acceptedAt: Date;
  /** The statuses that were reported, in the order of the reports. */
  readonly statuses: StandInStatus[];
}

const SENT_MS = 100;
const DELIVERED_MS = 250;
const WINDOW_OF_CONVERSATION_S = 24 * 60 * 60;
/** From this version on, statuses have no `conversation`. */
const WITHOUT_CONVERSATION = 24;

const SUCCEEDING: readonly PlannedStatus[] = [
  { status: 'sent', afterMs: SENT_MS },
  { status: 'delivered', afterMs: DELIVERED_MS },
];
const failing = (error: number): PlannedStatus[] => [{ status: 'failed', afterMs: SENT_MS, error }];

/** Reports the statuses of accepted messages. */
export class Statuses {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  /** Plans the statuses of a message. `error` is the code with which the network fails it. */
  plan(message: AcceptedMessage, planned: readonly PlannedStatus[] | undefined, error: number | undefined): void {
    const { clock, switches } = this.#network;
    const automatic = switches.statuses === 'automatic' ? SUCCEEDING : [];
    const acceptedAt = message.acceptedAt.getTime();
    for (const step of planned ?? (error === undefined ? automatic : failing(error))) {
      const { status, afterMs = 0, happenedMs = afterMs, copies = 1 } = step;
      const at = acceptedAt + happenedMs;
      const change = (): Change => this.#change(message, status, at, step.error);
      clock.after(afterMs, () => this.#report(message, status, Array.from({ length: copies }, change)));
    }
  }

  /** Reports a status now. */
  report(
    message: AcceptedMessage,
    status: StandInStatus,
    error?: number | GraphErrorFields,
    at = this.#network.clock.now(),
  ): Promise<void> {
    return this.#report(message, status, [this.#change(message, status, at.getTime(), error)]);
  }

  async #report(message: AcceptedMessage, status: StandInStatus, changes: readonly Change[]): Promise<void> {
    message.statuses.push(...changes.map(() => status));
    await Promise.all(changes.map((change) => this.#network.webhooks.emit([change])));
  }

  #change(message: AcceptedMessage, status: StandInStatus, at: number, error: number | GraphErrorFields | undefined): Change {
    const { contacts, switches } = this.#network;
    const { id, contact, body, number, version } = message;
    const hasFailed = status === 'failed';
    const opaque = body.biz_opaque_callback_data as string | undefined;
    const category = message.type === 'template' ? 'utility' : 'service';
    const isPriced = status === 'sent' || status === 'delivered';
    const pricing = { billable: category !== 'service', pricing_model: 'PMP', type: 'regular', category };
    const item = {
      id,
      status,
      timestamp: this.#network.timestamp(at),
      ...contacts.waId('recipient_id', contact),
      recipient_user_id: contact.userId,
      ...(opaque !== undefined && (!hasFailed || switches.echoesOpaqueDataOnFailed) && { biz_opaque_callback_data: opaque }),
      ...(isPriced && version.major < WITHOUT_CONVERSATION && { conversation: conversationOf(message, status, category) }),
      ...(isPriced && { pricing: category === 'service' ? { ...pricing, type: 'free_customer_service' } : pricing }),
      ...(hasFailed && { errors: [webhookError(errorOf(error ?? 131000).fields)] }),
    };
    const hasContacts = !hasFailed || switches.contactsBesideFailed;
    return this.#network.change(number, { ...(hasContacts && { contacts: [contacts.card(contact)] }), statuses: [item] });
  }
}

function conversationOf({ contact, acceptedAt }: AcceptedMessage, status: StandInStatus, category: string): Record<string, unknown> {
  const expiry = Math.floor(acceptedAt.getTime() / 1000) + WINDOW_OF_CONVERSATION_S;
  return {
    id: `conversation of ${contact.userId}`,
    ...(status === 'sent' && { expiration_timestamp: String(expiry) }),
    origin: { type: category },
  };
}
