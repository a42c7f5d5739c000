/** The public face: all that a plugin, a host or a test may import. Nothing inside core imports this file. */

export { type Recording, record as recordReply } from './adapters/models/replay.js';
export { type OpenTelemetryOptions, openTelemetry } from './adapters/open-telemetry.js';
export { type CheckOptions, checkData, type DataProblem, type DataReport, type RepairReport, repairData } from './adapters/store/index.js';
export { memoryChanged } from './admin/memory.js';
export { storeFailed, storeReopened } from './admin/store.js';
export { answeredWithin } from './contract/answered-within.js';
export type { PluginContext } from './contract/context.js';
export { defaultErrors } from './contract/default-errors.js';
export type { Contributions, ConversationView, ErrorShape, Plugin, PluginDefinition, PluginManifest } from './contract/plugin.js';
export { definePlugin } from './contract/plugin.js';
export type { Call, ErrorPage, OtherContent, RateBucket, RequestSchemas, Route, RouteAuth, RouteDefinition } from './contract/route.js';
export { route } from './contract/route.js';
export { beginningOf } from './cut-text.js';
export type { Deliveries, Letter } from './delivery/deliveries.js';
export {
  type AttemptRecord,
  type DeliveryRecord,
  type DeliverySettled,
  deliveryAttempted,
  deliveryQueued,
  deliverySettled,
  type MediaLink,
} from './delivery/delivery.js';
export type { DeliveryOptions } from './delivery/delivery-options.js';
export { laneChanged } from './delivery/lanes.js';
export type { Law } from './delivery/law.js';
export { type RetrySwitch, retrySwitches } from './delivery/retry.js';
export { isSameSecret, signPayload, verifySignature } from './delivery/signature.js';
export {
  pauseReasons,
  secretRotated,
  type WebhookRecord,
  type Webhooks,
  webhookPaused,
  webhookResumed,
} from './delivery/webhooks.js';
export { type Dialect, type DialectOptions, type SubscriptionKind, subscriptionKind } from './dialect.js';
export { readContext } from './engine/context.js';
export type {
  ContentCard,
  ContentEffect,
  Effect,
  EffectResult,
  HttpAnswer,
  HttpCall,
  HttpEffect,
  JourneyEffect,
  ModelEffect,
  SkillEffect,
  TemplateEffect,
  Written,
} from './engine/effect.js';
export { JOURNEY_LIMITS } from './engine/limits.js';
export { type Finding, findingSchema } from './engine/lint/finding.js';
export { stepsOfPointer } from './engine/lint/pointer.js';
export type { AssetKind, Known } from './engine/lint/references.js';
export type { JourneyEvent, Next, Place, Signal } from './engine/session.js';
export { type AnsweredCall, codeSkill, SKILL_LIMITS, type SkillCall, type SkillEnd, type SkillRun } from './engine/skills/code-skill.js';
export { isKnownSession } from './engine/unbegun.js';
export {
  BodyTooLarge,
  Conflict,
  Forbidden,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  NotSupported,
  PlatformError,
  PluginFailed,
  type PluginPhase,
  type Problem,
  placeOf,
  RateLimited,
  RouteNotFound,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
} from './errors.js';
export { callOf, type HttpRequestText, redacted, requestText } from './journeys/http-request.js';
export { isAvailable, type JourneyRecord, journeySchema, type Trigger, triggerSchema } from './journeys/journey.js';
export { InvalidJourney, type Journeys, type RevisionName, type RevisionRecord, revisionNames } from './journeys/journeys.js';
export { lintJourney } from './journeys/lint-journey.js';
export type { Effects, Performance, Performer, Performers } from './journeys/performers.js';
export type { Perform, RunTurn, TurnResult } from './journeys/run-turn.js';
export type { Json, JsonObject } from './json.js';
export { readAnswer, readJson, readJsonText, TOO_DEEP } from './json.js';
export { requestId } from './kernel/mounted-route.js';
export { type ChunkedText, ChunkMissing, type Chunks, type PackedText } from './memory/chunks.js';
export type { NewHistory } from './memory/histories.js';
export type { History, HistoryLimits, HistorySize } from './memory/history.js';
export { adviceOnce, type SaidAdvice, saidCollection } from './messaging/advice-once.js';
export {
  type ChannelDriver,
  type Channels,
  type Intended,
  MessageRefused,
  type NewTurn,
  NumberNotCarried,
  type Outbound,
  type OutboundCheck,
  TypeNotCarried,
} from './messaging/channels.js';
export type { ContactRecord } from './messaging/contact.js';
export { contactCardSchema } from './messaging/contact-card.js';
export type { Contacts } from './messaging/contacts.js';
export { type ConversationRecord, observedFields } from './messaging/conversation.js';
export type { Conversations } from './messaging/conversations.js';
export {
  advice,
  contactChanged,
  type MessageHappened,
  messageAccepted,
  messageQueued,
  messageReceived,
  messageSeen,
  messageStatus,
  messageUndeliverable,
  numberCreated,
} from './messaging/events.js';
export { historyMessage, historyOf } from './messaging/history.js';
export { createKeptKey } from './messaging/kept-key.js';
export { MEDIA_SCHEME, type Media, type MediaRecord, mediaSchema } from './messaging/media.js';
export {
  type Author,
  type DeliveryStatus,
  deliveryStatuses,
  type Inbound,
  inputOf,
  type MessageContext,
  type MessageRecord,
  messageBody,
  messageContextSchema,
  messageSchema,
  type NotificationError,
  notificationErrorSchema,
  type StatusReport,
  textOf,
} from './messaging/message.js';
export { MessageIdTaken, type MessageLog, type NewOutbound, unixSeconds } from './messaging/message-log.js';
export { messageNamed } from './messaging/named-message.js';
export { networkId } from './messaging/network-id.js';
export { type NumberKind, type NumberRecord, numberSchema } from './messaging/number.js';
export { addressTaken, type NewNumber, type Numbers } from './messaging/numbers.js';
export { reservedFields } from './messaging/reserved-fields.js';
export type { IncomingStatus, StatusOutcome } from './messaging/status-log.js';
export { withStoredTypes } from './messaging/stored-types.js';
export {
  fromLegacy,
  type LegacyTemplate,
  type NewTemplate,
  newTemplateSchema,
  type SentTemplate,
  TemplateNotFound,
  TemplateParametersWrong,
  type TemplateRecord,
  type Templates,
  templateSchema,
} from './messaging/templates.js';
export type { Caller, Tokens, TokenView } from './messaging/tokens.js';
export { chatOf, chatSchema, postedBody, type VendorData, vendorFields, vendorOf, vendorSchema } from './messaging/vendor.js';
export { createPlatform, type Platform, type PlatformOptions } from './platform.js';
export type { Blobs } from './ports/blobs.js';
export type { Clock, Timer } from './ports/clock.js';
export { type Announcement, type EventBus, type EventType, event } from './ports/events.js';
export {
  type Flow,
  type FlowAdmission,
  type FlowAsset,
  type FlowCategory,
  type FlowChange,
  type FlowHint,
  type FlowList,
  type FlowOperator,
  type FlowPage,
  type FlowPreview,
  type FlowRefusal,
  FlowRefused,
  type FlowStatus,
  type FlowValidationError,
  flowCategories,
  flowStatuses,
  type NewFlow,
  type SentFlow,
} from './ports/flow-operator.js';
export type { Heap, HeapState } from './ports/heap.js';
export { type HttpClient, type HttpOutcome, type HttpRequest, isPacked } from './ports/http-client.js';
export type { Ids } from './ports/ids.js';
export type { LogFields, Logger } from './ports/logger.js';
export type { Counter, Gauge, Histogram, HistogramType, MetricLabels, Metrics, MetricType } from './ports/metrics.js';
export type {
  ChatModel,
  ModelCall,
  ModelConnection,
  ModelFailure,
  ModelMessage,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  Models,
  ModelTool,
} from './ports/model.js';
export type { Ports } from './ports/ports.js';
export {
  type Consumer,
  type ConsumerOptions,
  consume,
  type GivenUpJob,
  type Job,
  type Lane,
  lanes,
  type Placement,
  type Queue,
  type QueueDepth,
  type QueueType,
  queue,
} from './ports/queue.js';
export type { Secrets } from './ports/secrets.js';
export {
  type Collection,
  type CollectionOptions,
  type CollectionType,
  collection,
  type IndexValue,
  type OpenCollection,
  type Range,
  type ReadableCollection,
  type Store,
  type StoreHealth,
  type StoreTransaction,
  StoreUnavailable,
  TransactionConflict,
  UniqueViolation,
} from './ports/store.js';
export { beforeCommit, on, type Subscription } from './ports/subscription.js';
export type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from './ports/tracing.js';
export type { Database, Transaction, Transactions } from './ports/transaction.js';
export { TaskFailed, type TaskType, task, type WorkerPool } from './ports/workers.js';
export {
  anyOf,
  anyText,
  anyTextUpTo,
  anything,
  defined,
  dictionary,
  fields,
  flag,
  httpUrl,
  type JsonSchema,
  jsonSchemaOf,
  list,
  moment,
  nullable,
  number,
  oneOf,
  type TypeOf,
  text,
  textUpTo,
  uuidInPath,
  whole,
  withKeywords,
} from './shape.js';
export { type FileKind, fileNameOf, fileTypeOf } from './turns/file-type.js';
export type { Input, StepDetails } from './turns/input.js';
export { type NetworkTurn, type Sendable, type Turn, turnSchema, turnType } from './turns/turn.js';
