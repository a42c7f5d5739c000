import { advice, type NumberRecord, type PluginContext, type Transaction } from '#core';
import type { NotificationError } from '#core/messaging';
import type { Counters } from '../metrics.js';
import { pendingSends } from '../records.js';
import { pushLane } from './queues.js';

/** Records what became of a message: accepted under an id of the network, or refused. Both let the next message of the conversation go. */
export type Acceptance = ReturnType<typeof createAcceptance>;

export function createAcceptance({ messages, deliveries }: Pick<PluginContext, 'messages' | 'deliveries'>, counters: Counters) {
  return {
    /**
     * The network has accepted a message, as its answer or a status says. A second id means that it was sent twice: both ids lead to the
     * message from then on.
     */
    async accepted(tx: Transaction, number: NumberRecord, uuid: string, wamid: string): Promise<void> {
      if (await messages.byRemoteId(tx, number.uuid, wamid)) return;
      const isAgain = (await messages.remoteIdsOf(uuid, tx)).length > 0;
      await messages.addRemoteId(tx, number, uuid, wamid);
      if (isAgain) {
        tx.onCommit(() => counters.double({ number_id: number.uuid }));
        tx.emit(advice, {
          name: 'cloud_api_sent_twice',
          number: number.uuid,
          message: `The network accepted message ${uuid} twice: the answer to the first send was lost, and no status arrived in time.`,
          fix: 'Nothing, if it is rare. Raise the option unknownOutcomeSeconds, or set unknownOutcome to fail if doubles are worse than losses.',
          about: { message: uuid },
        });
        return;
      }
      const pending = await tx.in(pendingSends).get(uuid);
      await messages.accepted(tx, number, uuid);
      next(tx, uuid, pending?.conversation);
      // A send of unknown outcome that would be repeated.
      if (pending?.delivery !== undefined) await deliveries.withdraw(tx, pending.delivery, 'accepted');
    },

    /** The network has refused a message, or it cannot be sent. */
    async refused(tx: Transaction, number: NumberRecord, uuid: string, error: NotificationError): Promise<void> {
      const pending = await tx.in(pendingSends).get(uuid);
      if (!pending) return;
      await messages.refused(tx, number, uuid, error);
      next(tx, uuid, pending.conversation);
    },
  };

  function next(tx: Transaction, uuid: string, conversation: string | undefined): void {
    tx.in(pendingSends).delete(uuid);
    if (conversation !== undefined) pushLane(tx, conversation);
  }
}
