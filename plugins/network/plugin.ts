import { definePlugin } from '#core';
import { networkAdminRoutes } from './admin-routes.js';
import { networkCheck } from './check.js';
import { networkDriver, reporting } from './driver.js';
import { policies } from './records.js';

/** The types of numbers it carries: those of the messaging network, and its sandbox. */
const TYPES = ['network', 'sandbox'] as const;

/** A messaging network on this machine: it takes messages, reports what becomes of them, and brings in what contacts send. */
export const network = definePlugin({
  name: 'network',
  version: '0.1.0',
  collections: { policies },
  register: (context) => ({
    channels: TYPES.map((type) => networkDriver(context, type)),
    outboundChecks: [networkCheck(context, TYPES)],
    consumes: [reporting(context)],
    admin: networkAdminRoutes(context, TYPES),
  }),
});
