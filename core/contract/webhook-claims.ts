import type { MessageHappened } from '../messaging/events.js';
import type { MessageRecord } from '../messaging/message.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Transaction } from '../ports/transaction.js';

/** Says that a webhook answers a contact, and until when. Journeys start for none of the contact's messages meanwhile. */
export interface WebhookClaim {
  readonly uuid: string;
  /** The webhook that answers. */
  readonly webhook: string;
  /** The newest message of the contact that was delivered with the claim, and the first one. */
  readonly message: string;
  readonly first_message: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly until: string;
}

/** The claims of webhooks on contacts, which one plugin contributes. */
export interface WebhookClaims {
  /** Returns the claim under which a webhook receives the message just recorded; makes or renews it when it is first asked. */
  of(tx: Transaction, happened: MessageHappened): Promise<WebhookClaim | undefined>;
  /** The claim that is live now. */
  live(number: NumberRecord, contact: string): Promise<WebhookClaim | undefined>;
  /** The claim under which a webhook received an earlier message; undefined if it had none, or the message was handed back. */
  over(message: MessageRecord): Promise<WebhookClaim | undefined>;
  /** Ends the claim of a contact, if it still is this one. */
  end(tx: Transaction, contact: string, claim: string): Promise<void>;
}

/** Returns whether a plugin waits for the next message of a contact. No webhook claims that message. */
export type Awaits = (tx: Transaction, number: string, contact: string) => Promise<boolean>;
