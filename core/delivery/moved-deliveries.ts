import { contactMerged, contactSplit } from '../messaging/events.js';
import { beforeCommit, type Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';
import { type DeliveryOutbox, isSettled } from './delivery.js';
import { changedRecord } from './delivery-record.js';

/**
 * Deliveries that were not attempted yet, and those in strict order, follow their messages into another conversation when contacts are merged or
 * split, because the outbox keeps the order within a conversation.
 */
export function movingDeliveries({ outbox }: { readonly outbox: DeliveryOutbox }): readonly Subscription[] {
  return [
    beforeCommit(contactMerged, ({ messages, conversation }, tx) => move(tx, messages, conversation)),
    beforeCommit(contactSplit, ({ messages, split_conversation: conversation }, tx) => move(tx, messages, conversation)),
  ];

  function move(tx: Transaction, messages: readonly string[], conversation: string | null): void {
    if (conversation === null) return;
    for (const message of messages)
      for (const known of outbox.newest.newest({ message })) {
        const entry = outbox.in(tx).current(known);
        if (!entry || isSettled(entry.record.state)) continue;
        const { state, attempts, order } = entry.record;
        if (order === 'strict' || (state === 'queued' && attempts === 0))
          outbox.in(tx).change(entry, { record: changedRecord(entry.record, { conversation }) });
      }
  }
}
