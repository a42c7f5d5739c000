import type { PluginContext, Transaction } from '#core';
import { adviceOnce, type NotificationError } from '#core/messaging';
import type { Gateway, Remedy } from './gateways/gateway.js';
import { issuedAdvice } from './records.js';

/** Codes of this channel: what an error means, whichever gateway reports it. */
const CODES: Readonly<Record<Remedy | 'refused', number>> = {
  refused: 153_400,
  fail: 153_000,
  advise: 153_403,
  stop: 153_401,
  unreachable: 153_404,
  'opted out': 153_406,
  wait: 153_429,
  repeat: 153_500,
};

/** An error in the shape of the API specification (Resources, "Notification error object"). */
export const notificationError = (what: Remedy | 'refused', details: string, href: string): NotificationError => ({
  code: CODES[what],
  title: what === 'opted out' ? 'The contact has opted out' : 'The message cannot be sent as an SMS',
  details,
  href,
});

/** A refusal by the plugin itself, before a gateway sees the message. */
export const refusal = (details: string): NotificationError => notificationError('refused', details, 'https://posthorn.invalid/sms');

/** Does what an error of a gateway asks for, besides failing the message. */
export function remedies({ connections, contacts, clock }: Pick<PluginContext, 'connections' | 'contacts' | 'clock'>) {
  const once = adviceOnce(issuedAdvice, clock);

  return {
    dismissals: once.dismissals,

    /** @param contact the uuid of the recipient; `code` and `reason` are those of the gateway @returns the error of the message */
    async apply(
      tx: Transaction,
      number: Parameters<typeof contacts.block>[1],
      contact: string,
      { title, errors, remedyOf }: Pick<Gateway, 'title' | 'errors' | 'remedyOf'>,
      { code, reason }: { code: number; reason: string },
    ): Promise<NotificationError> {
      const remedy = remedyOf(code);
      const details = `${title} ${code}: ${reason}`;
      if (remedy === 'opted out') await contacts.block(tx, number, { uuid: contact }, { by: 'contact', reason: details });
      if (remedy === 'unreachable') await contacts.block(tx, number, { uuid: contact }, { by: 'network', reason: details });
      if (remedy === 'stop')
        await connections.stop(tx, number.uuid, { code, title: reason, fix: `Fix the account at ${title}, then connect the number again` });
      if (remedy === 'advise')
        await once.issue(tx, `gateway:${number.uuid}:${code}`, {
          name: 'sms_gateway_refuses',
          severity: 'warning',
          number: number.uuid,
          message: `${title} refuses messages of number '${number.name}' with error ${code}: ${reason}.`,
          fix: `Look up the error at ${errors}: the sender, its registration, the country or the content is not allowed.`,
        });
      return notificationError(remedy, details, errors);
    },
  };
}
