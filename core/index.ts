/**
 * The entry point `posthorn`, for host applications and plugin authors. No file in core imports it. Other entry points: `posthorn/ports` for
 * hosts with a store, queue or HTTP client of their own, and `posthorn/engine` for the journey language alone.
 */

// Build and run a platform

export { type OpenTelemetryOptions, openTelemetry } from './adapters/open-telemetry.js';
export { type CheckOptions, checkData, type DataProblem, type DataReport, type RepairReport, repairData } from './adapters/store/index.js';
export type { DialectOptions } from './dialect.js';
export { createPlatform, type Platform, type PlatformOptions } from './platform/platform.js';

// Write a plugin

export type { PluginContext } from './contract/context.js';
export { defaultErrors } from './contract/default-errors.js';
export type { Payload } from './contract/payload.js';
export {
  type Contributions,
  type ConversationView,
  definePlugin,
  type ErrorShape,
  type Plugin,
  type PluginDefinition,
  type PluginManifest,
} from './contract/plugin.js';
export { type Call, type RequestSchemas, type Route, type RouteDefinition, route } from './contract/route.js';
export { offer, type Service, service } from './contract/service.js';

// Schemas of requests, responses and documents

export type { Json, JsonObject } from './json.js';
export {
  anyOf,
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
  dateTime,
  httpUrl,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
  withoutUndefined,
} from './shape.js';

// Errors

export {
  BodyTooLarge,
  Conflict,
  Forbidden,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  NotSupported,
  PlatformError,
  type Problem,
  RateLimited,
  RouteNotFound,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from './errors.js';
export { InvalidJourney } from './journeys/journeys.js';

// State, transactions, jobs and ports

export type { Clock, Timer } from './ports/clock.js';
export { event } from './ports/events.js';
export type { HttpOutcome } from './ports/http-client.js';
export type { Logger } from './ports/logger.js';
export { type Consumer, consume, type Job, type QueueType, queue } from './ports/queue.js';
export { type CollectionType, collection, UniqueViolation } from './ports/store.js';
export { beforeCommit, on, type Subscription } from './ports/subscription.js';
export type { Transaction } from './ports/transaction.js';
export { task } from './ports/workers.js';

// Events

export { memoryChanged } from './admin/memory.js';
export { storeFailed, storeReopened } from './admin/store.js';
export { type DeliverySettled, deliveryAttempted, deliveryQueued, deliverySettled } from './delivery/delivery.js';
export { laneChanged } from './delivery/lanes.js';
export { secretRotated, webhookPaused, webhookResumed } from './delivery/webhook.js';
export {
  advice,
  contactChanged,
  contactMerged,
  contactSplit,
  messageAccepted,
  messageQueued,
  messageReceived,
  messageSeen,
  messageStatus,
  messageUndeliverable,
  numberCreated,
} from './messaging/events.js';

// Write a channel driver

export type { RunTurn } from './journeys/run-turn.js';
export {
  type ChannelDriver,
  MessageRefused,
  NumberNotSupported,
  type Outbound,
  type OutboundCheck,
} from './messaging/channel-drivers.js';
export type { ContactRecord } from './messaging/contact.js';
export type { ConversationRecord } from './messaging/conversation.js';
export { type DeliveryStatus, type Inbound, type MessageRecord, type StatusReport, textOf } from './messaging/message.js';
export type { NewOutbound } from './messaging/messages.js';
export { unixSeconds } from './messaging/messages.js';
export type { NumberKind, NumberRecord } from './messaging/number.js';
export { type Sendable, type Turn, turnSchema } from './turns/turn.js';

// Send webhooks

export type { DeliveryRequest } from './delivery/deliveries.js';
export type { DeliveryRecord } from './delivery/delivery.js';
export type { DeliveryOptions } from './delivery/delivery-options.js';
export { isSameSecret, signPayload, verifySignature } from './delivery/signature.js';
export type { WebhookRecord } from './delivery/webhook.js';
export { type SubscriptionKind, subscriptionKind } from './dialect.js';
