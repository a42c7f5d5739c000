import { createHmac } from 'node:crypto';
import Joi from 'joi';
import { definePlugin, type NumberRecord } from '#core';
import { createStoredKey } from '#core/messaging';
import { messageAdminRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { createClaims } from './claims/claims.js';
import { dataRoutes } from './data/routes.js';
import { messageErrors } from './errors.js';
import { personalClaims } from './personal-data.js';
import { claims as claimRecords, idempotencyKeys, typings } from './records.js';
import { messageRoutes } from './routes.js';
import { endWithConversation, endWithMessage, endWithTime, typingEnded, typingStarted, typingView } from './typing.js';

/** Options of messages. */
export interface MessagesOptions {
  /**
   * The most values of `Idempotency-Key` that are kept of a number for 24 hours; 100,000 if not given. Further ones get 503, because a key
   * that is removed earlier could send a message twice.
   */
  readonly idempotencyKeys?: number;
  /**
   * Whether a webhook can be set to answer contacts instead of journeys, by claims. If not given, only where the dialect's `service` is `turn`,
   * whose clients use them.
   */
  readonly claims?: boolean;
  /** Whether numbers can export their messages and statuses, under `/v1/data`. If not given, only with `service: turn`. */
  readonly dataExport?: boolean;
}

/** Messages, media and contacts of a number: sending, marking as read, files, profiles. */
export const messages = definePlugin<MessagesOptions, 'idempotencyKeys'>({
  name: 'messages',
  version: '0.1.0',
  causes,
  options: Joi.object({
    idempotencyKeys: Joi.number().integer().min(1).default(100_000),
    claims: Joi.boolean(),
    dataExport: Joi.boolean(),
  }),
  collections: { typings, 'idempotency-keys': idempotencyKeys, claims: claimRecords },
  emits: [typingStarted, typingEnded],
  register(context, options) {
    const isTurn = context.dialect.service === 'turn';
    const { idempotencyKeys: maxKeys, claims: hasClaims = isTurn, dataExport: exports = isTurn } = options;
    const claims = hasClaims ? createClaims(context) : undefined;
    const hashKey = createStoredKey(context, 'scrubbing');
    // Equal numbers have equal hashes in all exports of an account, and different ones in those of another.
    const hashKeyOf = ({ uuid, account }: NumberRecord) =>
      createHmac('sha256', hashKey.get())
        .update(account ?? uuid)
        .digest('hex');
    return {
      routes: [...messageRoutes(context, { maxKeys, claims }), ...(exports ? dataRoutes(context, hashKeyOf) : [])],
      admin: messageAdminRoutes(context),
      on: [endWithMessage, endWithConversation, ...(claims?.listeners ?? [])],
      consumes: [endWithTime(context)],
      personalData: personalClaims(context),
      views: [typingView(context)],
      errors: messageErrors(context.dialect),
      roots: ['/v1/messages', '/v1/media', '/v1/contacts', '/v1/data', '/v1/chats'],
      ...(claims && { claims: claims.contributed }),
      ...(exports && { start: hashKey.load }),
    };
  },
});

export { postedSchema } from './schemas.js';
