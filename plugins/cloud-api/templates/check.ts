import { MessageRefused, type PluginContext } from '#core';
import { fromLegacy, type LegacyTemplate, type SentTemplate } from '#core/messaging';
import { notificationErrorOf } from '../graph/errors.js';
import { connections, templateExtras, templateKey } from '../records.js';
import type { MessageCheck } from '../sending/check.js';

const unsendable = (name: string, parts: readonly string[]) =>
  notificationErrorOf({
    code: 131051,
    title: 'Unsupported message type',
    error_data: {
      details: `The template ${name} has ${parts.join(' and ')}, which messages of this API cannot have; send another template`,
    },
  });

/**
 * Refuses unknown templates, templates that are not approved or have parts without a form here, and wrong numbers of parameters, without a
 * call of the network. Until the templates of the account were read, the network decides.
 */
export function templateCheck({ templates }: Pick<PluginContext, 'templates'>): MessageCheck {
  return async (tx, { number, turn }) => {
    const { template, hsm } = turn as unknown as { template?: SentTemplate; hsm?: LegacyTemplate };
    const sent = template ?? (hsm && fromLegacy(hsm));
    if (!sent) return;
    const { name, language } = sent;
    const extra = await tx.in(templateExtras).get(templateKey(number.uuid, { name, language: language.code }));
    if (extra && extra.unsendable.length > 0) throw new MessageRefused(unsendable(name, extra.unsendable));
    const connection = await tx.in(connections).get(number.uuid);
    if (connection?.templates_read_at !== undefined) await templates.check(tx, number, sent);
  };
}
