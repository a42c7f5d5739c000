import Joi from 'joi';
import { beforeCommit, definePlugin, deliveryAnsweredLate, deliveryQueued, deliverySettled, permit } from '#core';
import { messagesExpired } from '#core/messaging';
import { channelAdminRoutes } from './admin-routes.js';
import { answeredLate, connectorDriver, redelivered, settled } from './driver.js';
import { createEarlierIds } from './earlier-ids.js';
import { echoWatch } from './echo.js';
import { channelErrors } from './errors.js';
import { connectorPayload } from './payload.js';
import { earlierIds, issuedAdvice } from './records.js';
import { channelRoutes } from './routes.js';

/** Options of the Channel API. */
export interface ChannelsOptions {
  /**
   * Whether a connector may post `nfm_reply`, the completed form of a flow; true if not given. The API specification lists only
   * `button_reply` and `list_reply`, but a connector that receives flows needs `nfm_reply` to return their results.
   */
  readonly nfmReplies?: boolean;
}

/** The Channel API: connectors exchange messages with the platform over HTTP. Contributes the channel driver for connectors. */
export const channels = definePlugin<ChannelsOptions, 'nfmReplies'>({
  name: 'channels',
  version: '0.1.0',
  permissions: {
    'channels.read': permit.everyone('See the channels of connectors.'),
    'channels.write': permit.owners('Create, change and delete channels.'),
    'channels.test': permit.both('Post messages, statuses and samples as a connector does.'),
  },
  options: Joi.object({ nfmReplies: Joi.boolean().default(true) }),
  collections: { said: issuedAdvice, 'earlier-ids': earlierIds },
  register(context, options) {
    const earlier = createEarlierIds(context);
    return {
      routes: channelRoutes(context, earlier, options),
      admin: channelAdminRoutes(context),
      payloads: [connectorPayload],
      channels: [connectorDriver(context)],
      on: [
        beforeCommit(deliveryQueued, redelivered(context)),
        beforeCommit(deliverySettled, settled(context, earlier)),
        beforeCommit(deliveryAnsweredLate, answeredLate(context, earlier)),
        beforeCommit(messagesExpired, earlier.forget),
        ...echoWatch(context),
      ],
      consumes: [earlier.expiries()],
      errors: channelErrors,
      roots: ['/v1/numbers'],
    };
  },
});

export { createChannel } from './channel.js';
export { type OutboundPayload, outboundPayloadSchema } from './schemas.js';
