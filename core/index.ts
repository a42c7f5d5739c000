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

export { type AccountScope, type OwnedRecord, owned } from './contract/accounts.js';
export type { Cause, Causes } from './contract/cause.js';
export type { PluginContext } from './contract/context.js';
export { defaultErrors } from './contract/default-errors.js';
export type { AskedMessage, ChainLink, Explanation } from './contract/explanation.js';
export type { Forms } from './contract/forms.js';
export type { PlatformLocale } from './contract/locale.js';
export type { Authenticate, Operator, OperatorOptions } from './contract/operator.js';
export type { ContributedPage, Page, PagePlace } from './contract/page.js';
export type { Payload, PayloadAnswer } from './contract/payload.js';
export { type Permission, type Permissions, permit } from './contract/permission.js';
export {
  type AdminAuth,
  type AdminCall,
  type Contributions,
  type ConversationView,
  definePlugin,
  type ErrorShape,
  type Plugin,
  type PluginDefinition,
  type PluginFactory,
  type PluginManifest,
} from './contract/plugin.js';
export { type Call, type RequestSchemas, type Route, type RouteDefinition, route } from './contract/route.js';
export type { SearchSource } from './contract/search.js';
export { type Offer, offer, type Service, service } from './contract/service.js';
export type { Awaits, WebhookClaim, WebhookClaims } from './contract/webhook-claims.js';

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

export type { ChunkedText, PackedText } from './memory/chunks.js';
export type { NewHistory } from './memory/histories.js';
export type { History } from './memory/history.js';
// From `ports/index.js`, so that the compiler can name each type of `posthorn/ports` in the declarations of a package that imports only `posthorn`.
export {
  beforeCommit,
  type Clock,
  type CollectionType,
  type Consumer,
  collection,
  consume,
  type EventType,
  event,
  type HttpOutcome,
  type Job,
  type Logger,
  on,
  type QueueType,
  queue,
  type StoreTransaction,
  type Subscription,
  type TaskType,
  type Timer,
  type Tracing,
  type Transaction,
  task,
  UniqueViolation,
} from './ports/index.js';

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
  type MessageHappened,
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
  type NewTurn,
  NumberNotSupported,
  type Outbound,
  type OutboundCheck,
} from './messaging/channel-drivers.js';
export type { ContactRecord } from './messaging/contact.js';
export type { ContactMerge } from './messaging/contact-merge.js';
export type { ContactIds } from './messaging/contacts.js';
export type { ConversationRecord } from './messaging/conversation.js';
export { type DeliveryStatus, type Inbound, type MessageRecord, type StatusReport, textOf } from './messaging/message.js';
export type { OutboundDraft } from './messaging/message-hooks.js';
export type { NewOutbound } from './messaging/messages.js';
export { unixSeconds } from './messaging/messages.js';
export type { NumberKind, NumberRecord } from './messaging/number.js';
export type { NewNumber } from './messaging/numbers.js';
export type { DataSubject, PersonalData, Removed } from './messaging/personal-data.js';
export type { IncomingStatus } from './messaging/status.js';
export type { StatusOutcome } from './messaging/statuses.js';
export type { SentTemplate } from './messaging/template.js';
export type { Caller } from './messaging/token.js';
export type { StepDetails } from './turns/input.js';
export type { ChannelCapabilities } from './turns/network-limits.js';
export { type Sendable, type Turn, turnSchema } from './turns/turn.js';

// Send webhooks

export type { DeliveryRequest, Replay } from './delivery/deliveries.js';
export type { DeliveryRecord } from './delivery/delivery.js';
export type { DeliveryOptions } from './delivery/delivery-options.js';
export type { AttemptResult } from './delivery/retry.js';
export type { ContributedSender, Destination, SentAttempt } from './delivery/sender.js';
export { SIGNATURE_HEADER, type SignatureStep, signatureOf, signatureStepSchema, signatureSteps } from './delivery/signature-steps.js';
export type { WebhookRecord } from './delivery/webhook.js';
export { type SubscriptionKind, subscriptionKind, subscriptionName } from './dialect.js';
export { isSameSecret, signPayload, verifySignature } from './signature.js';

// For plugins that own an area, and for hosts such as the sandbox

export { type ClockSetting, ManualClock } from './adapters/clock/manual-clock.js';
export { type Recording, record as recordReply } from './adapters/models/replay.js';
export { type Script, ScriptedModel } from './adapters/models/scripted.js';
export { RandomIds } from './adapters/random-ids.js';
export { SeededIds } from './adapters/seeded-ids.js';
export type { AdviceRecord } from './admin/advice.js';
export { answeredWithin } from './contract/answered-within.js';
export { conflict, missing, mistake, outage, setting } from './contract/cause.js';
export type { CommandDefinition, PluginCommand } from './contract/command.js';
export { pagePlaces } from './contract/page.js';
export { deliveryAnswers } from './contract/payload.js';
export type { ErrorPage, RateBucket, RouteAuth } from './contract/route.js';
export { type AttemptRecord, deliveryAnsweredLate, type LateAnswer, queuedAt, type ShownDelivery } from './delivery/delivery.js';
export type { DeliveryDetail } from './delivery/delivery-details.js';
export { type RetrySwitch, retrySwitches, wasInterrupted } from './delivery/retry.js';
export { pauseReasons } from './delivery/webhook.js';
export { HIDDEN } from './delivery/webhook-headers.js';
export type { PayloadField, WebhookSubscription } from './delivery/webhook-subscription.js';
export { type Dialect, dialectOf } from './dialect.js';
export { seesAccount, visibleNumbers } from './kernel/http/account-scope.js';
export { adminKeyCheck, bearerText } from './kernel/http/auth.js';
export { compiledCheck } from './kernel/http/compiled-check.js';
export { requestId } from './kernel/http/mounted-route.js';
export { requestSchemaOf } from './kernel/http/openapi/schema.js';
export { operatorOf } from './kernel/http/operators.js';
export type { AuditRecord } from './kernel/observe/audit-record.js';
export type { RecordedCall } from './kernel/observe/call-log.js';
export { ChunkMissing } from './memory/chunks.js';
export { Newest } from './memory/newest.js';
export type { BeforeReceive, BeforeSend, SendCheck } from './messaging/message-hooks.js';
export { platformOptionsSchema } from './platform/options.js';
export { InvalidState, type PlatformState, type StateDocument } from './platform/platform-state.js';
