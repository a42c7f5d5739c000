import { type MessageRecord, type NumberRecord, type PluginContext, type Transaction, unixSeconds } from '#core';
import type { MailClass } from '../content/classify.js';
import { isNoAddress, type Remedies } from '../errors.js';

type Report = Exclude<MailClass, { readonly kind: 'ordinary' | 'auto-reply' }>;

/** Records what mail servers and contacts report of messages. */
export type Reports = ReturnType<typeof createReports>;

export function createReports(
  { messages, contacts, clock }: Pick<PluginContext, 'messages' | 'contacts' | 'clock'>,
  { apply, once }: Remedies,
) {
  return {
    /**
     * The message that a mail is about: by the ids in it, else by the plus address that it was sent to. Only recipients of the message know both, so
     * an address alone proves nothing.
     * @param keyed the uuid of the message of the plus address
     */
    async messageOf(number: string, ids: readonly string[], keyed: string | undefined, isIt = (_: MessageRecord): boolean => true) {
      for (const id of ids) {
        const found = await messages.known(number, 'outbound', id);
        if (found && isIt(found)) return found;
      }
      const found = keyed === undefined ? undefined : await messages.get(keyed);
      return found?.number === number && found.direction === 'outbound' && isIt(found) ? found : undefined;
    },

    async record(tx: Transaction, number: NumberRecord, message: MessageRecord, report: Report): Promise<void> {
      const about = { id: message.external_id!, recipient: message.to, timestamp: unixSeconds(clock.now()) };
      if (report.kind === 'receipt' && report.isRead) await messages.status(tx, number, { ...about, status: 'read' });
      if (report.kind === 'complaint') {
        const reason = 'The contact has reported a mail as spam';
        await contacts.block(tx, number, { uuid: message.contact }, { by: 'contact', reason });
        await once.issue(tx, `complaint:${number.uuid}`, {
          ...{ name: 'email_complaint', severity: 'warning', number: number.uuid, about: { contact: message.contact } },
          message: `A contact of number '${number.name}' has reported a mail as spam. Further messages to the contact are refused.`,
          fix: 'Write only to people who expect it: many such reports make mail servers refuse all mails of the domain.',
        });
      }
      // A mail has one recipient, so what is not about another one is about this message.
      for (const { action, status, diagnostic } of report.kind === 'bounce' ? report.reports : []) {
        if (action === 'delivered') await messages.status(tx, number, { ...about, status: 'delivered' });
        if (action !== 'failed') continue;
        const reason = [status, diagnostic].filter(Boolean).join(' ');
        const error = await apply(tx, number, message.contact, { remedy: isNoAddress(status) ? 'unreachable' : 'fail', reason });
        await messages.status(tx, number, { ...about, status: 'failed', errors: [error] });
      }
    },
  };
}
