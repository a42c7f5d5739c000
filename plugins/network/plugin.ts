import Joi from 'joi';
import { definePlugin, permit, setting } from '#core';
import { networkAdminRoutes } from './admin-routes.js';
import { networkCheck } from './check.js';
import { networkDriver, reporting } from './driver.js';
import { DEFAULT_POLICY, policiesWith } from './policy.js';
import { policies } from './records.js';
import { type Policy, policyChangeSchema } from './schemas.js';

/** The types of numbers that the local network serves. */
const TYPES = ['network', 'sandbox'] as const;

/** Options of the local network. */
export interface NetworkOptions {
  /** The policy of numbers that have none of their own: the fields of `PATCH /network/numbers/{uuid}/policy`. */
  readonly policy?: Partial<Policy>;
}

/** A messaging network on this machine: accepts messages, reports their statuses, and simulates messages from contacts. */
export const network = definePlugin<NetworkOptions, 'policy'>({
  name: 'network',
  version: '0.1.0',
  permissions: {
    'network.read': permit.everyone('See the policy of the simulated network.'),
    'network.test': permit.both('Send as a contact, report statuses, and change the policy.'),
  },
  causes: {
    not_on_the_network: setting('The local network does not serve numbers of this type.', 'Use a number of kind `network` or `sandbox`.'),
  },
  options: Joi.object({ policy: policyChangeSchema.default(DEFAULT_POLICY) }),
  collections: { policies },
  register(context, { policy }) {
    const initial = { ...DEFAULT_POLICY, ...policy };
    const policyOf = policiesWith(initial);
    return {
      channels: TYPES.map((type) => ({ ...networkDriver(context, policyOf, type), check: networkCheck(context, policyOf) })),
      consumes: [reporting(context)],
      admin: networkAdminRoutes(context, TYPES, initial),
    };
  },
});
