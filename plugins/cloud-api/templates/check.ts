import type { OutboundCheck, PluginContext } from '#core';
import { fromLegacy, type LegacyTemplate, type SentTemplate } from '#core/areas';
import { CLOUD_TYPE } from '../numbers/connections.js';

/**
 * Refuses unknown templates, templates that are not approved, and wrong numbers of parameters, without a call of the network. A number
 * without any template has not read those of its account yet, so the network decides.
 */
export function templateCheck({ templates }: Pick<PluginContext, 'templates'>): OutboundCheck {
  return async (tx, { number, turn }) => {
    const { template, hsm } = turn as unknown as { template?: SentTemplate; hsm?: LegacyTemplate };
    const sent = template ?? (hsm && fromLegacy(hsm));
    if (number.type !== CLOUD_TYPE || !sent || (await templates.list(number.uuid)).length === 0) return;
    await templates.check(tx, number, sent);
  };
}
