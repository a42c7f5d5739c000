import { definePlugin } from '#core';
import { networkAdminRoutes } from './admin-routes.js';
import { networkCheck } from './check.js';
import { networkDriver, reporting } from './driver.js';
import { policies } from './records.js';

/** The types of numbers that the local network serves. */
const TYPES = ['network', 'sandbox'] as const;

/** A messaging network on this machine: accepts messages, reports their statuses, and simulates messages from contacts. */
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
