import Joi from 'joi';
import { definePlugin, offer, permit } from '#core';
import { journeyAdminRoutes } from './admin-routes.js';
import { answering, queueAnswers } from './answering/answer.js';
import { performingDeferred } from './answering/follow-up.js';
import { createTurnOrder } from './answering/turn-order.js';
import { createConnections } from './assets/ai-connections.js';
import { createSkills } from './assets/code-skills.js';
import { createCards } from './assets/content-cards.js';
import { causes } from './causes.js';
import { createJourneys } from './definitions/journeys.js';
import { journeySearch } from './definitions/search.js';
import { stackRoutes } from './drafts/routes.js';
import { journeyCanvas, journeyGraph, jsonPlaces } from './editing/routes.js';
import { performers } from './effects/performers.js';
import { journeyErrors } from './errors.js';
import { handedOver, journeyChanged, journeyEnded, journeyStarted, noneFits, sessionExpired, turnTaken } from './events.js';
import { journeyExplanation } from './explaining/explain.js';
import { createOutcomes } from './explaining/outcomes.js';
import {
  aiCalls,
  cards,
  connections,
  journeyRecords,
  plannedStarts,
  prompts,
  recordings,
  revisions,
  secretNames,
  sessions,
  skills,
  traffic,
} from './records.js';
import { journeyRoutes } from './routes.js';
import { createExtensions } from './running/extensions.js';
import { createEffects } from './running/performers.js';
import { journeyStep } from './running/run-turn.js';
import { createSecrets } from './secrets/secrets.js';
import { type JourneysContext, journeysService } from './service.js';
import { journeyView } from './sessions/journey-view.js';
import { movingSessions } from './sessions/moved-sessions.js';
import { personalSessions } from './sessions/personal-data.js';
import { isWaiting } from './sessions/session.js';
import { createSessionStore } from './sessions/session-store.js';
import { createTraffic } from './sessions/traffic.js';
import { createPendingStarts } from './starting/pending-starts.js';
import { starting } from './starting/starting.js';

export { type JourneyRecord, type RevisionName, revisionNames, type Trigger, triggerSchema } from './definitions/journey.js';
export { InvalidJourney, type NewDraft } from './definitions/journeys.js';
export { triggersOf } from './definitions/notebook-triggers.js';
export { contextView, readContext } from './engine/context.js';
export type { Effect, EffectResult, HttpAnswer, HttpCall, HttpEffect, ModelEffect, PluginEffect } from './engine/effect.js';
export { generations } from './engine/generations.js';
export { firstTrueGuard } from './engine/guards.task.js';
export { useModules } from './engine/language.js';
export { JOURNEY_LIMITS } from './engine/limits.js';
export { expressionsOf } from './engine/lint/expressions.js';
export { isKnownSession } from './engine/new-session.js';
export type { JourneyEvent, JourneyPosition as Place, ReportOptions, Signal } from './engine/session.js';
export {
  handedOver,
  journeyChanged,
  journeyEnded,
  journeyStarted,
  noneFits,
  type SessionEvent,
  sessionExpired,
  turnTaken,
} from './events.js';
export { ofJourney } from './records.js';
export type { JourneyAdditions, JourneyExtension, PluginSkill } from './running/extensions.js';
export { callOf, redacted, requestText } from './running/http-request.js';
export { createEffects, type EffectContext, type Performer, type Performers } from './running/performers.js';
export type { Perform, RunTurn, TurnResult } from './running/run-turn.js';
export { type JourneysContext, type JourneysService, journeysService, withJourneys } from './service.js';

/** Limits for what the plugin stores for late replies. */
export interface JourneysOptions {
  /** The maximum number of ended sessions, and of questions that late replies can still answer; the oldest are evicted. */
  readonly kept?: number;
  /** The maximum bytes of these questions with their session state; default: an eighth of Node's heap limit. */
  readonly keptBytes?: number;
}

/** The plugin `journeys`: journeys answer messages of contacts. */
export const journeys = definePlugin<JourneysOptions, 'kept'>({
  name: 'journeys',
  version: '0.1.0',
  permissions: {
    'journeys.read': permit.everyone('See journeys, their revisions and assets.'),
    'journeys.write': permit.authors('Write and delete journeys, content cards and code skills.'),
    'journeys.publish': permit.authors('Publish, enable and disable journeys.'),
    'journeys.start': permit.both('Start a journey for a contact.'),
    'journeys.secrets': permit.owners('Set secrets of journeys, and connections to language models.'),
  },
  causes,
  options: Joi.object({ kept: Joi.number().integer().min(0).default(100_000), keptBytes: Joi.number().integer().min(0) }),
  collections: {
    journeys: journeyRecords,
    revisions,
    sessions,
    prompts,
    'planned-starts': plannedStarts,
    'secret-names': secretNames,
    'content-cards': cards,
    'code-skills': skills,
    'ai-connections': connections,
    'ai-calls': aiCalls,
    'ai-recordings': recordings,
    traffic,
  },
  tasks: [journeyStep, journeyGraph, jsonPlaces, journeyCanvas],
  emits: [journeyChanged, journeyStarted, turnTaken, journeyEnded, noneFits, sessionExpired, handedOver],
  offers: [journeysService],
  register(platform, options) {
    const extensions = createExtensions(platform);
    const { extend, workers, additions } = extensions;
    const effects = createEffects(() => performs, additions.effects);
    const service = { ...createJourneys({ ...platform, workers, additions }), ...effects, extend, workers, additions };
    const context: JourneysContext = Object.assign(platform, { journeys: service });
    const counts = createTraffic(context);
    const sessionStore = createSessionStore(context, options, counts);
    const secrets = createSecrets(context);
    const pendingStarts = createPendingStarts(context);
    const outcomes = createOutcomes();
    const order = createTurnOrder();
    const assets = {
      cards: createCards(context),
      skills: createSkills(context, additions.skills),
      connections: createConnections(context),
    };
    const performs = performers(context, secrets, assets);
    return {
      services: [
        {
          ...offer(journeysService, service, (plugin) => ({ ...service, extend: extensions.extendAs(plugin) })),
          platformMember: 'journeys',
        },
      ],
      routes: [...journeyRoutes(context, sessionStore, pendingStarts), ...stackRoutes(context, assets)],
      errors: journeyErrors,
      roots: ['/v1/stacks'],
      admin: journeyAdminRoutes(context, { assets, secrets, sessionStore, pendingStarts }),
      on: [
        ...queueAnswers(context),
        ...outcomes.subscriptions,
        order.merging,
        ...movingSessions(context, sessionStore),
        ...sessionStore.expiring,
      ],
      awaits: async (tx, number, contact) => isWaiting(await tx.in(sessions).getBy('parked', [number, contact]), context.clock.now()),
      needsMessage: sessionStore.needsMessage,
      personalData: personalSessions(context, sessionStore),
      explanations: [journeyExplanation(context, outcomes)],
      search: journeySearch(context),
      views: [journeyView(context)],
      consumes: [...answering(context, sessionStore, order), starting(context, sessionStore, pendingStarts), performingDeferred(context)],
      start: extensions.start,
      stop: counts.stop,
    };
  },
});
