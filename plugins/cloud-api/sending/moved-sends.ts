import { beforeCommit, contactMerged, contactSplit, on, type PluginContext, type Subscription, type Transaction } from '#core';
import { pendingSends } from '../records.js';
import type { SendBudget } from './budget.js';
import { pushLane } from './queues.js';

/** Messages that are not accepted yet follow their contact into another conversation, and keep their order there. */
export function movingSends({ messages }: Pick<PluginContext, 'messages'>, budget: SendBudget): Subscription[] {
  return [
    beforeCommit(contactMerged, async ({ conversation, merged_conversation: merged }, tx) => {
      if (conversation === null || merged === null) return;
      for (const one of [conversation, merged])
        for (const { message } of await tx.in(pendingSends).find('conversation', { equals: [one] })) await move(tx, message);
      pushLane(tx, conversation);
    }),
    beforeCommit(contactSplit, async ({ split_conversation: conversation, messages: moved }, tx) => {
      for (const uuid of moved) await move(tx, uuid);
      if (conversation !== null) pushLane(tx, conversation);
    }),
    on(contactMerged, ({ number, conversation, merged_conversation: merged }) => {
      if (conversation !== null && merged !== null) budget.join(number.uuid, merged, conversation);
    }),
  ] as Subscription[];

  /** Its place is that of its message. */
  async function move(tx: Transaction, uuid: string): Promise<void> {
    const [pending, message] = [await tx.in(pendingSends).get(uuid), await messages.current(tx, uuid)];
    if (pending && message) tx.in(pendingSends).put({ ...pending, conversation: message.conversation, position: message.position });
  }
}
