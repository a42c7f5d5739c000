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

// State, transactions, jobs and ports

export { createRoom, type Room } from './memory/room.js';
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
export { SIGNATURE_HEADER, type SignatureStep, signatureOf, signatureStepSchema, signatureSteps } from './delivery/signature-steps.js';
export type { WebhookRecord } from './delivery/webhook.js';
export { type SubscriptionKind, subscriptionKind, subscriptionName } from './dialect.js';

// For plugins that own an area, and for hosts such as the sandbox

export { type ClockSetting, ManualClock } from './adapters/clock/manual-clock.js';
export { type Recording, record as recordReply } from './adapters/models/replay.js';
export { type Script, ScriptedModel } from './adapters/models/scripted.js';
export { RandomIds } from './adapters/random-ids.js';
export { SeededIds } from './adapters/seeded-ids.js';
export type { AdviceRecord } from './admin/advice.js';
export { answeredWithin } from './contract/answered-within.js';
export { type Causes, conflict, missing, mistake, outage, setting } from './contract/cause.js';
export type { AskedMessage, ChainLink, Explanation } from './contract/explanation.js';
export { type ContributedPage, type Page, type PagePlace, pagePlaces } from './contract/page.js';
export { deliveryAnswers } from './contract/payload.js';
export type { AdminAuth, AdminCall } from './contract/plugin.js';
export type { ErrorPage, RateBucket, RouteAuth } from './contract/route.js';
export type { WebhookClaim, WebhookClaims } from './contract/webhook-claims.js';
export { type AttemptRecord, deliveryAnsweredLate, type LateAnswer, queuedAt, type ShownDelivery } from './delivery/delivery.js';
export type { DeliveryDetail } from './delivery/delivery-details.js';
export { type RetrySwitch, retrySwitches, wasInterrupted } from './delivery/retry.js';
export { pauseReasons } from './delivery/webhook.js';
export { HIDDEN } from './delivery/webhook-headers.js';
export { type Dialect, dialectOf } from './dialect.js';
export { adminKeyCheck, bearerText } from './kernel/http/auth.js';
export { compiledCheck } from './kernel/http/compiled-check.js';
export { requestId } from './kernel/http/mounted-route.js';
export { requestSchemaOf } from './kernel/http/openapi/schema.js';
export type { RecordedCall } from './kernel/observe/call-log.js';
export { type ChunkedText, ChunkMissing } from './memory/chunks.js';
export { Newest } from './memory/newest.js';
export { platformOptionsSchema } from './platform/options.js';
export { InvalidState, type PlatformState, type StateDocument } from './platform/platform-state.js';
