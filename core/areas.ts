/**
 * The internal entry point `#core/areas`: names that the plugins of this package need beyond `posthorn`. The package does not export it, so
 * any release may change these names.
 */

// Routes, plugins and services

export type { AdviceRecord } from './admin/advice.js';
export { answeredWithin } from './contract/answered-within.js';
export { type Causes, conflict, missing, mistake, outage, setting } from './contract/cause.js';
export type { AskedMessage, ChainLink, Explanation } from './contract/explanation.js';
export {
  type Flow,
  type FlowAdmission,
  type FlowAsset,
  type FlowCategory,
  type FlowChange,
  type FlowHint,
  type FlowList,
  type FlowOperator,
  FlowOperatorError,
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
} from './contract/flow-operator.js';
export { type ContributedPage, type Page, type PagePlace, pagePlaces } from './contract/page.js';
export { deliveryAnswers } from './contract/payload.js';
export type { AdminAuth, AdminCall } from './contract/plugin.js';
export type { ErrorPage, RateBucket, RouteAuth } from './contract/route.js';
export type { WebhookClaim, WebhookClaims } from './contract/webhook-claims.js';
export { beginningOf } from './cut-text.js';
export { type Dialect, dialectOf, subscriptionKinds } from './dialect.js';
export { placeOf } from './errors.js';
export { adminKeyCheck, bearerText } from './kernel/http/auth.js';
export { compiledCheck } from './kernel/http/compiled-check.js';
export { requestId } from './kernel/http/mounted-route.js';
export { requestSchemaOf } from './kernel/http/openapi/schema.js';
export type { RecordedCall } from './kernel/observe/call-log.js';
export { type ChunkedText, ChunkMissing } from './memory/chunks.js';
export { Newest } from './memory/newest.js';
export { adviceOnce, issuedAdviceCollection } from './messaging/advice-once.js';
export { isPacked, shownHeaders } from './ports/http-client.js';
export type { StoredJob } from './ports/queue.js';
export { examplesByType, examplesOf, typed, uuidInPath, withExamples, withKeywords, withReports } from './shape.js';

// Options and data

export { platformOptionsSchema } from './platform/options.js';

// Messages, numbers and templates

export type { NewTurn } from './messaging/channel-drivers.js';
export { contactCardSchema } from './messaging/contact-card.js';
export { observedFields } from './messaging/conversation.js';
export { doublesAdvice } from './messaging/doubles.js';
export { adviceDismissed, type ContactMerged, type ContactSplit, type MessageHappened, messageHandedBack } from './messaging/events.js';
export { findMessage } from './messaging/find-message.js';
export { historyMessage, historyOf } from './messaging/history.js';
export { MEDIA_SCHEME, mediaSchema } from './messaging/medium.js';
export {
  type Author,
  deliveryStatuses,
  inputOf,
  isInput,
  type MessageContext,
  messageBody,
  messageContextSchema,
  messageSchema,
  messages,
  type NotificationError,
  notificationErrorSchema,
} from './messaging/message.js';
export { MessageIdTaken } from './messaging/messages.js';
export { networkAddress, networkId, otherSpellings } from './messaging/network-id.js';
export { numberSchema } from './messaging/number.js';
export { addressTaken, type NewNumber } from './messaging/numbers.js';
export { reservedFields } from './messaging/reserved-fields.js';
export type { StatusOutcome } from './messaging/statuses.js';
export { createStoredKey } from './messaging/stored-key.js';
export { namesStoredMedia, withStoredTypes } from './messaging/stored-types.js';
export {
  fromLegacy,
  type LegacyTemplate,
  type NewTemplate,
  newTemplateSchema,
  placeholdersOf,
  type SentTemplate,
  type TemplateRecord,
  templateSchema,
} from './messaging/template.js';
export { chatOf, chatSchema, contactsOf, postedBody, statusBody, vendorFields, vendorOf, vendorSchema } from './messaging/vendor.js';
export { type FileKind, fileNameOf, fileTypeOf } from './turns/file-type.js';
export { acceptsType, NETWORK_CAPABILITIES, NETWORK_FILES, NETWORK_LIMITS } from './turns/network-limits.js';
export { turnType } from './turns/turn.js';

// Webhooks

export type { AttemptRecord, ShownDelivery } from './delivery/delivery.js';
export { deliveryAnsweredLate, type LateAnswer, queuedAt } from './delivery/delivery.js';
export type { DeliveryDetail } from './delivery/delivery-details.js';
export { type RetrySwitch, retrySwitches, wasInterrupted } from './delivery/retry.js';
export { pauseReasons } from './delivery/webhook.js';
export { HIDDEN } from './delivery/webhook-headers.js';

// Journeys

export { type Recording, record as recordReply } from './adapters/models/replay.js';
export {
  bigInteger,
  exactJson,
  readAnswer,
  readExactJson,
  readJson,
  readJsonText,
  readShownJson,
  TOO_DEEP,
  withExactIntegers,
  withTextIntegers,
} from './json.js';
export type { Input } from './turns/input.js';

// The sandbox

export { type ClockSetting, ManualClock } from './adapters/clock/manual-clock.js';
export { type Script, ScriptedModel } from './adapters/models/scripted.js';
export { RandomIds } from './adapters/random-ids.js';
export { SeededIds } from './adapters/seeded-ids.js';
export { InvalidState, type PlatformState, type StateDocument } from './platform/platform-state.js';
