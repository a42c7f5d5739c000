import Joi from 'joi';
import { definePlugin } from '#core';
import { journeyAdminRoutes } from './admin-routes.js';
import { aiCalls, aiLogRoutes } from './ai-log.js';
import { answering, queueAnswer } from './answer.js';
import { connectionRoutes, connections, createConnections } from './assets/ai-connections.js';
import { recordingRoutes, recordings } from './assets/ai-recordings.js';
import { createSkills, skillRoutes, skills } from './assets/code-skills.js';
import { cardRoutes, cards, createCards } from './assets/content-cards.js';
import { contactRoutes, sentenceErrors } from './contact-routes.js';
import { performers } from './effects/performers.js';
import { performingDeferred } from './follow-up.js';
import { keepSessions } from './kept-sessions.js';
import { plannedStarts } from './planned-starts.js';
import { secretRoutes } from './secret-routes.js';
import { createSecrets, secretNames } from './secrets.js';
import { handedOver, noneFits, prompts, sessionExpired, sessions, turnTaken } from './sessions.js';
import { startRoutes } from './start-routes.js';
import { starting } from './starting.js';
import { startsUnderWay } from './starts-under-way.js';

/** How much is kept for late replies. */
export interface JourneysOptions {
  /** How many sessions that are over are kept, and how many questions that a late reply can still answer. */
  readonly kept?: number;
  /** Bytes that the questions may take together with the sessions as they stood then; an eighth of the heap that Node may use if not given. */
  readonly keptBytes?: number;
}

/** Journeys answer what contacts send. */
export const journeys = definePlugin<JourneysOptions, 'kept'>({
  name: 'journeys',
  version: '0.1.0',
  options: Joi.object({ kept: Joi.number().integer().min(0).default(100_000), keptBytes: Joi.number().integer().min(0) }),
  collections: {
    sessions,
    prompts,
    'planned-starts': plannedStarts,
    'secret-names': secretNames,
    'content-cards': cards,
    'code-skills': skills,
    'ai-connections': connections,
    'ai-calls': aiCalls,
    'ai-recordings': recordings,
  },
  emits: [turnTaken, noneFits, sessionExpired, handedOver],
  register(context, options) {
    const kept = keepSessions(context, options);
    const secrets = createSecrets(context);
    const underWay = startsUnderWay(context);
    const assets = { cards: createCards(context), skills: createSkills(context), connections: createConnections(context) };
    return {
      routes: contactRoutes(context, kept, underWay),
      errors: sentenceErrors,
      roots: ['/v1/stacks'],
      admin: [
        ...journeyAdminRoutes(context, assets),
        ...secretRoutes(context, secrets),
        ...cardRoutes(context, assets.cards),
        ...skillRoutes(context, assets.skills),
        ...connectionRoutes(context, assets.connections),
        ...recordingRoutes(context, assets.connections),
        ...aiLogRoutes(context),
        ...startRoutes(context, underWay),
      ],
      on: [queueAnswer],
      effects: performers(context, secrets, assets),
      consumes: [...answering(context, kept), starting(context, kept, underWay), performingDeferred(context)],
    };
  },
});
