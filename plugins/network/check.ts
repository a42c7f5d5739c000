import { type ChannelDriver, MessageRefused, type PluginContext } from '#core';
import { fromLegacy, type LegacyTemplate, type SentTemplate } from '#core/messaging';
import { errorOf, windowOver } from './errors.js';
import { matchableOf, type PolicyOf, ruleFor } from './policy.js';

const HOUR_MS = 60 * 60 * 1000;

/**
 * Refuses messages that the network would refuse: unknown templates, messages outside the window, and messages that match a `refuse` rule.
 */
export function networkCheck(
  { templates, contacts, conversations, clock }: PluginContext,
  policyOf: PolicyOf,
): NonNullable<ChannelDriver['check']> {
  return async (tx, { number, to, turn }) => {
    const matchable = matchableOf(to, turn);
    const policy = await policyOf(tx, number.uuid);
    const rule = ruleFor(tx, number.uuid, policy, matchable, ['refuse']);
    if (rule) throw new MessageRefused(errorOf(rule));

    const parts = turn as unknown as { template?: SentTemplate; hsm?: LegacyTemplate };
    if (matchable.type === 'template') return templates.check(tx, number, parts.template!);
    if (matchable.type === 'hsm') return templates.check(tx, number, fromLegacy(parts.hsm!));

    const { window_hours: hours } = policy;
    if (hours === null) return;
    const contact = await contacts.known(number.uuid, to);
    const conversation = contact && (await conversations.ofContact(number.uuid, contact.uuid));
    const lastInbound = conversation?.last_inbound_at;
    if (lastInbound === undefined || clock.now().getTime() - Date.parse(lastInbound) > hours * HOUR_MS) {
      throw new MessageRefused(windowOver(to, hours));
    }
  };
}
