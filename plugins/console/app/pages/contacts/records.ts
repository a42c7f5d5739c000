import type { ContactRecord, ConversationRecord, MessageRecord } from '#core';

/** A contact as the list of the admin API shows it. */
export interface ListedContact {
  readonly contact: ContactRecord;
  /** Its own id first. */
  readonly ids: readonly string[];
  readonly conversation?: ConversationRecord;
  /** The newest message, if the operator may read it. */
  readonly message?: MessageRecord;
}

/** A contact on its page. */
export interface ShownContact extends Omit<ListedContact, 'message'> {
  /** Contacts that were merged into it, and can be split again. */
  readonly merges: readonly {
    readonly contact: string;
    readonly id: string;
    readonly merged_at: string;
    readonly expires_at: string;
  }[];
}
