import { MessageRefused, type OutboundCheck, type PluginContext } from '#core';
import { fromLegacy, type LegacyTemplate, type SentTemplate } from '#core/areas';
import { notificationErrorOf } from '../graph/errors.js';
import { CLOUD_TYPE } from '../numbers/connections.js';
import { templateKey, unsendableTemplates } from '../records.js';

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
 * call of the network. A number without any template has not read those of its account yet, so the network decides.
 */
export function templateCheck({ templates }: Pick<PluginContext, 'templates'>): OutboundCheck {
  return async (tx, { number, turn }) => {
    const { template, hsm } = turn as unknown as { template?: SentTemplate; hsm?: LegacyTemplate };
    const sent = template ?? (hsm && fromLegacy(hsm));
    if (number.type !== CLOUD_TYPE || !sent) return;
    const { name, language } = sent;
    const known = await tx.in(unsendableTemplates).get(templateKey(number.uuid, { name, language: language.code }));
    if (known) throw new MessageRefused(unsendable(name, known.parts));
    if ((await templates.list(number.uuid)).length > 0) await templates.check(tx, number, sent);
  };
}
