import { type MessageRecord, type NumberRecord, type PluginContext, type Transaction, unixSeconds } from '#core';
import type { MailClass } from '../content/classify.js';
import { isNoAddress, notificationError, type remedies } from '../errors.js';

type Report = Exclude<MailClass, { readonly kind: 'ordinary' | 'auto-reply' }>;

/** Records what mail servers and contacts report of messages. */
export type Reports = ReturnType<typeof createReports>;

export function createReports(
  { messages, contacts, clock }: Pick<PluginContext, 'messages' | 'contacts' | 'clock'>,
  { once }: ReturnType<typeof remedies>,
) {
  return {
    /**
     * The message of a report: by the ids in it, else by the plus address that it was sent to. Only recipients of the mail know both, so
     * an address alone proves nothing.
     */
    async messageOf({ uuid: number }: NumberRecord, { ids }: Report, keyed: string | undefined): Promise<MessageRecord | undefined> {
      for (const id of ids) {
        const found = await messages.known(number, 'outbound', id);
        if (found) return found;
      }
      const found = keyed === undefined ? undefined : await messages.get(keyed);
      return found?.number === number && found.direction === 'outbound' ? found : undefined;
    },

    async record(tx: Transaction, number: NumberRecord, message: MessageRecord, report: Report): Promise<void> {
      const about = { id: message.external_id!, recipient: message.to, timestamp: unixSeconds(clock.now()) };
      if (report.kind === 'receipt') {
        if (report.isRead) await messages.status(tx, number, { ...about, status: 'read' });
        return;
      }
      if (report.kind === 'complaint') {
        const reason = 'The contact has reported a mail as spam';
        await contacts.block(tx, number, { uuid: message.contact }, { by: 'contact', reason });
        return once.issue(tx, `complaint:${number.uuid}`, {
          name: 'email_complaint',
          severity: 'warning',
          number: number.uuid,
          message: `A contact of number '${number.name}' has reported a mail as spam. Further messages to the contact are refused.`,
          fix: 'Write only to people who expect it: many such reports make mail servers refuse all mails of the domain.',
          about: { contact: message.contact },
        });
      }
      // A mail has one recipient, so what is not about another one is about this message.
      for (const { action, status, diagnostic } of report.reports) {
        if (action === 'delivered') await messages.status(tx, number, { ...about, status: 'delivered' });
        if (action !== 'failed') continue;
        const isGone = isNoAddress(status);
        const details = [status, diagnostic].filter(Boolean).join(' ');
        const errors = [notificationError(isGone ? 'unreachable' : 'fail', details)];
        await messages.status(tx, number, { ...about, status: 'failed', errors });
        if (isGone) await contacts.block(tx, number, { uuid: message.contact }, { by: 'network', reason: details });
      }
    },
  };
}
