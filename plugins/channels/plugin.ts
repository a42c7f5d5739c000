import Joi from 'joi';
import { beforeCommit, definePlugin, deliveryQueued, deliverySettled } from '#core';
import { channelAdminRoutes } from './admin-routes.js';
import { connectorDriver, redelivered, settled } from './driver.js';
import { echoWatch } from './echo.js';
import { channelErrors } from './errors.js';
import { connectorPayload } from './payload.js';
import { issuedAdvice } from './records.js';
import { channelRoutes } from './routes.js';

/** Options of the Channel API. */
export interface ChannelsOptions {
  /**
   * Whether a connector may post `nfm_reply`, the completed form of a flow. The interface lists only `button_reply` and `list_reply`, but
   * connectors also receive flows, and could not return their results without it.
   */
  readonly nfmReplies?: boolean;
}

/** The Channel API: connectors exchange messages with the platform over HTTP. Contributes the channel driver for them. */
export const channels = definePlugin<ChannelsOptions, 'nfmReplies'>({
  name: 'channels',
  version: '0.1.0',
  options: Joi.object({ nfmReplies: Joi.boolean().default(true) }),
  collections: { said: issuedAdvice },
  register: (context, options) => ({
    routes: channelRoutes(context, options),
    admin: channelAdminRoutes(context),
    payloads: [connectorPayload],
    channels: [connectorDriver(context)],
    on: [beforeCommit(deliveryQueued, redelivered(context)), beforeCommit(deliverySettled, settled(context)), echoWatch(context)],
    errors: channelErrors,
    roots: ['/v1/numbers'],
  }),
});

export { type OutboundPayload, outboundPayloadSchema } from './schemas.js';
