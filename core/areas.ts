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
export {
  type Dialect,
  dialectOf,
  PLUGIN_SUBSCRIPTION,
  subscriptionKindSchema,
  subscriptionKinds,
  subscriptionName,
} from './dialect.js';
export { placeOf } from './errors.js';
export { adminKeyCheck, bearerText } from './kernel/auth.js';
export type { RecordedCall } from './kernel/call-log.js';
export { compiledCheck } from './kernel/compiled-check.js';
export { requestId } from './kernel/mounted-route.js';
export { requestSchemaOf } from './kernel/openapi-schema.js';
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
export { refusedBy } from './messaging/message-hooks.js';
export { MessageIdTaken } from './messaging/messages.js';
export { networkAddress, networkId, otherSpellings } from './messaging/network-id.js';
export { numberSchema } from './messaging/number.js';
export { addressTaken, type NewNumber } from './messaging/numbers.js';
export { receivedParts } from './messaging/received-parts.js';
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
export { deliveryAnsweredLate, type LateAnswer } from './delivery/delivery.js';
export type { DeliveryDetail } from './delivery/delivery-details.js';
export { type RetrySwitch, retrySwitches, wasInterrupted } from './delivery/retry.js';
export {
  explainSignature,
  type SignatureExplanation,
  type SignatureStep,
  signatureOf,
  signatureSteps,
} from './delivery/signature-explanation.js';
export { pauseReasons } from './delivery/webhook.js';
export { HIDDEN } from './delivery/webhook-headers.js';

// Journeys

export { type Recording, record as recordReply } from './adapters/models/replay.js';
export { contextView, readContext } from './engine/context.js';
export type {
  ContentEffect,
  Effect,
  EffectResult,
  HttpAnswer,
  HttpCall,
  HttpEffect,
  JourneyEffect,
  ModelEffect,
  SecretTemplate,
  SkillEffect,
  TemplateEffect,
} from './engine/effect.js';
export { generations } from './engine/generations.js';
export { default as firstTrueGuard } from './engine/guards.task.js';
export { JOURNEY_LIMITS } from './engine/limits.js';
export { type BlockExpression, expressionsOf } from './engine/lint/expressions.js';
export { type Finding, findingSchema } from './engine/lint/finding.js';
export { pointerOf, stepsOf } from './engine/lint/pointer.js';
export type { AssetKind, AssetLookup } from './engine/lint/references.js';
export { isKnownSession } from './engine/new-session.js';
export { NOTEBOOK_LIMITS } from './engine/notebook/limits.js';
export { nearest } from './engine/notebook/nearest.js';
export type { JourneyEvent, Place, ReportOptions, Signal } from './engine/session.js';
export {
  type AnsweredCall,
  codeSkill,
  quickSkill,
  SKILL_LIMITS,
  type SkillCall,
  type SkillResult,
  type SkillRun,
} from './engine/skills/code-skill.js';
export { callOf, redacted, requestText } from './journeys/http-request.js';
export {
  foldedWord,
  isAvailable,
  type JourneyRecord,
  journeySchema,
  type RevisionName,
  revisionNames,
  type Trigger,
  triggerSchema,
} from './journeys/journey.js';
export type { NewDraft } from './journeys/journeys.js';
export { triggersOf } from './journeys/notebook-triggers.js';
export { createEffects, type EffectContext, type Performer, type Performers } from './journeys/performers.js';
export type { Perform, TurnResult } from './journeys/run-turn.js';
export { shadowOf, type TriggerOfJourney } from './journeys/shadowed-triggers.js';
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
