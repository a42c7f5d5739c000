import { definePlugin } from '#core';
import { cloudAdminRoutes } from './admin-routes.js';
import { cloudErrors } from './errors.js';
import { createGraph } from './graph/client.js';
import { createConnections } from './numbers/connections.js';
import { type CloudApiOptions, optionsSchema, type Settings } from './options.js';
import { connections, contactAliases, earlyStatuses, issuedAdvice, networkIds, pendingSends, uploads } from './records.js';

/** Carries numbers of the network over the WhatsApp Business Cloud API; numbers that are not connected stay on the local network. */
export const cloudApi = definePlugin<CloudApiOptions, keyof CloudApiOptions>({
  name: 'cloud-api',
  version: '0.1.0',
  options: optionsSchema,
  collections: { connections, pendingSends, networkIds, earlyStatuses, contactAliases, uploads, issuedAdvice },
  register(context, settings: Settings) {
    const graph = createGraph(context, settings);
    const connected = createConnections(context);
    return {
      admin: cloudAdminRoutes(context, connected),
      errors: cloudErrors,
      roots: ['/cloud-api'],
      start: () => connected.connectAll(settings.numbers),
    };
  },
});

export type { CloudApiOptions, CloudNumber } from './options.js';
