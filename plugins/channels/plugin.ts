import Joi from 'joi';
import { beforeCommit, definePlugin, deliveryQueued, deliverySettled } from '#core';
import { channelAdminRoutes } from './admin-routes.js';
import { connectorDriver, restarted, settled } from './driver.js';
import { echoWatch } from './echo.js';
import { channelErrors } from './errors.js';
import { issuedAdvice } from './records.js';
import { channelRoutes } from './routes.js';

/** What a host may choose of the Channel API. */
export interface ChannelsOptions {
  /**
   * Whether a connector may post `nfm_reply`, the answer to a flow. The interface lists `button_reply` and `list_reply` only; it
   * also hands flows to connectors, whose answers would have no way back.
   */
  readonly nfmReplies?: boolean;
}

/** The Channel API: connectors exchange messages with the platform over HTTP. It contributes one of the channel drivers. */
export const channels = definePlugin<ChannelsOptions, 'nfmReplies'>({
  name: 'channels',
  version: '0.1.0',
  options: Joi.object({ nfmReplies: Joi.boolean().default(true) }),
  collections: { said: issuedAdvice },
  register: (context, options) => ({
    routes: channelRoutes(context, options),
    admin: channelAdminRoutes(context),
    channels: [connectorDriver(context)],
    on: [beforeCommit(deliveryQueued, restarted(context)), beforeCommit(deliverySettled, settled(context)), echoWatch(context)],
    errors: channelErrors,
    roots: ['/v1/numbers'],
  }),
});

export { type OutboundPayload, outboundPayloadSchema } from './schemas.js';
