import type { PluginContext, Transaction } from '#core';
import { adviceOnce, type NotificationError } from '#core/messaging';
import { issuedAdvice } from './records.js';

/**
 * The reaction to the answer of a mail server. `repeat`: temporary. `wait`: the whole number waits. `stop`: nothing can be sent until an operator acts.
 * `unreachable`: the address of the contact does not exist. `advise`: mails of this kind are not sent until an operator acts. `fail`: only this mail.
 */
export type Remedy = 'repeat' | 'wait' | 'stop' | 'unreachable' | 'advise' | 'fail';

/** The codes of errors of this channel: the same for all mail servers. */
const CODES = { refused: 154_400, fail: 154_000, advise: 154_403, stop: 154_401, unreachable: 154_404, wait: 154_429, repeat: 154_500 };

/** Statuses that say that the address does not exist (RFC 3463). */
const NO_ADDRESS = /^5\.(1\.(1|2|3|6|10)|2\.1)$/;

/** The reaction to the answer of a mail server. */
export function remedyOf(code: number, text: string): Remedy {
  const [, status = ''] = /(?:^|\s)([245]\.\d{1,3}\.\d{1,3})(?=\s|$|[,;:)])/.exec(text) ?? [];
  if (code === 530 || code === 534 || code === 535) return 'stop';
  if (code === 421 || status === '4.2.1' || status.startsWith('4.7.') || (code < 500 && /\brate\b|too many/i.test(text))) return 'wait';
  if (code < 500) return 'repeat';
  const saysSo = status === '' && (code === 550 || code === 553) && /user|mailbox|recipient|address/i.test(text);
  return isNoAddress(status) || saysSo ? 'unreachable' : status.startsWith('5.7.') ? 'advise' : 'fail';
}

/** Whether a report says that the address does not exist. */
export const isNoAddress = (status = ''): boolean => NO_ADDRESS.test(status);

/** An error in the shape of the API specification (Resources, "Notification error object"). */
export const notificationError = (what: Remedy | 'refused', details: string): NotificationError => ({
  code: CODES[what],
  title: what === 'unreachable' ? 'The address does not exist' : 'The message cannot be sent as a mail',
  details,
  href: 'https://www.iana.org/assignments/smtp-enhanced-status-codes',
});

/** A refusal by the plugin itself, before a server sees the message. */
export const refusal = (details: string): NotificationError => notificationError('refused', details);

export type Remedies = ReturnType<typeof remedies>;

/** Does what the answer of a server asks for, besides failing the message. */
export function remedies({ contacts, clock }: Pick<PluginContext, 'contacts' | 'clock'>) {
  const once = adviceOnce(issuedAdvice, clock);
  return {
    once,

    /** @param contact the uuid of the recipient @returns the error of the message */
    async apply(
      tx: Transaction,
      number: Parameters<typeof contacts.block>[1],
      contact: string,
      { remedy, reason }: { readonly remedy: Remedy; readonly reason: string },
    ): Promise<NotificationError> {
      if (remedy === 'unreachable') await contacts.block(tx, number, { uuid: contact }, { by: 'network', reason });
      if (remedy === 'advise')
        await once.issue(tx, `policy:${number.uuid}`, {
          ...{ name: 'email_policy_refuses', severity: 'warning', number: number.uuid },
          message: `A mail server refuses mails of number '${number.name}' by its policy: ${reason}.`,
          fix: 'Check SPF, DKIM and DMARC of the domain, and whether the address of the mail server is on a block list.',
        });
      return notificationError(remedy, reason);
    },
  };
}
