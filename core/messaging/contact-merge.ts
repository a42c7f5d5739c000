import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { array, object, string } from '../shape.js';
import type { ContactRecord } from './contact.js';
import type { ConversationRecord } from './conversation.js';

/** The side that found two contacts to be one person: the network or a connector, or an operator. */
export type MergedBy = 'channel' | 'operator';

/** A contact that was merged into another one, with what a split needs. Deleted when the merge can no longer be undone. */
export interface ContactMerge {
  /** The uuid of the contact, which no longer exists. */
  readonly contact: string;
  readonly number: string;
  /** The uuid of the contact into which it was merged. */
  readonly into: string;
  readonly merged_at: string;
  readonly expires_at: string;
  /** The contact and its conversation before the merge. */
  readonly record: ContactRecord;
  readonly conversation?: string;
  readonly conversation_record?: ConversationRecord;
  /** All its ids. */
  readonly ids: readonly string[];
  /** The id of the other contact before the merge. */
  readonly kept_id: string;
  /** The fields of the other contact that the merge replaced, with their previous values. */
  readonly replaced: ContactRecord['fields'];
}

export const contactMerges = collection<ContactMerge>({
  key: 'contact',
  tenant: { number: 'number' },
  unique: { conversation: ['conversation'] },
  indexes: { into: ['into', 'merged_at', 'contact'] },
});

/** The ids of a contact, and the merges into it, as the admin API shows them. */
export const identitySchema = {
  ids: array(string()).description('All ids of the contact: its `id` first, then its aliases.'),
  merges: array(object({ contact: string(), id: string(), merged_at: string(), expires_at: string() })).description(
    'The contacts that were merged into it and can be split until `expires_at`, oldest first.',
  ),
};

/** Jobs that delete a merge when it can no longer be undone. */
export const mergeExpiries = queue<{ contact: string }>('core.merge-expiries', ({ contact }) => ({
  kind: 'contact',
  id: contact,
  title: `end of the time in which the merge of contact ${contact} can be undone`,
}));
