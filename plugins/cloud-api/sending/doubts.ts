import type { PluginContext, Transaction } from '#core';
import type { Settings } from '../options.js';
import { pendingSends } from '../records.js';
import { unknownOutcomes } from './queues.js';

/** Sends whose outcome is unknown and which must not be repeated, also after a crash. */
export type Doubts = ReturnType<typeof createDoubts>;

/** With `unknownOutcome: 'resend'` it does nothing: a crash repeats such sends. */
export function createDoubts({ store, clock }: Pick<PluginContext, 'store' | 'clock'>, settings: Settings) {
  const isRepeated = settings.unknownOutcome === 'resend';
  const unknownMs = settings.unknownOutcomeSeconds * 1_000;

  return {
    /** Records that the send of a message begins. Resolves when that is on disk; the request must not be sent before. */
    begin: (message: string | undefined) => mark(message, 'begun'),

    /** The network has not accepted the message, so that the send can be repeated. */
    end: (message: string | undefined) => mark(message, undefined),

    /**
     * Milliseconds that a send must wait because an earlier one of its message has no outcome; 0 without one. In the meantime a status
     * settles the message, or the job that this pushes fails it.
     */
    async waitMs(tx: Transaction, message: string | undefined): Promise<number> {
      const pending = isRepeated || message === undefined ? undefined : await tx.in(pendingSends).get(message);
      if (pending?.send === undefined) return 0;
      if (pending.send === 'begun') {
        tx.in(pendingSends).put({ ...pending, send: 'doubted' });
        doubt(tx, pending.message, pending.number);
      }
      return unknownMs + 1;
    },

    /** Fails a message when no status has arrived in time. */
    doubt,
  };

  function doubt(tx: Transaction, message: string, number: string): void {
    const notBefore = new Date(clock.now().getTime() + unknownMs);
    tx.push(unknownOutcomes, { message, number }, { id: message, notBefore });
  }

  async function mark(message: string | undefined, send: 'begun' | undefined): Promise<void> {
    if (isRepeated || message === undefined) return;
    await store.transaction(async (tx) => {
      const pending = await tx.in(pendingSends).get(message);
      if (!pending || pending.send === send) return;
      const { send: _, ...rest } = pending;
      tx.in(pendingSends).put({ ...rest, ...(send && { send }) });
    });
  }
}
