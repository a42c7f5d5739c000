import { beforeCommit, definePlugin, deliveryQueued, deliverySettled } from '#core';
import { channelConsole } from './console.js';
import { connectorDriver, restarted, settled } from './driver.js';
import { echoWatch } from './echo.js';
import { channelErrors } from './errors.js';
import { channelRoutes } from './routes.js';

/** External connectors exchange messages with us over HTTP (the Channel API). */
export const channels = definePlugin({
  name: 'channels',
  version: '0.1.0',
  register: (context) => ({
    routes: channelRoutes(context),
    console: channelConsole(context),
    channels: [connectorDriver(context)],
    on: [beforeCommit(deliveryQueued, restarted(context)), beforeCommit(deliverySettled, settled(context)), echoWatch(context)],
    errors: channelErrors,
    roots: ['/v1/numbers'],
  }),
});

export { type OutboundPayload, outboundPayloadSchema } from './payload.js';
