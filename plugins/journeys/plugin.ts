import { definePlugin } from '#core';
import { answering, queueAnswer } from './answer.js';
import { journeyConsole } from './console.js';
import { performers } from './effects/performers.js';
import { performingDeferred } from './follow-up.js';
import { plannedStarts } from './planned-starts.js';
import { secretConsole } from './secret-console.js';
import { createSecrets, secretNames } from './secrets.js';
import { handedOver, noneFits, prompts, sessionExpired, sessions, turnTaken } from './sessions.js';
import { starting } from './starting.js';

/** Journeys answer what contacts send. */
export const journeys = definePlugin({
  name: 'journeys',
  version: '0.1.0',
  collections: { sessions, prompts, 'planned-starts': plannedStarts, 'secret-names': secretNames },
  emits: [turnTaken, noneFits, sessionExpired, handedOver],
  register(context) {
    const secrets = createSecrets(context);
    return {
      console: [...journeyConsole(context), ...secretConsole(context, secrets)],
      on: [queueAnswer],
      effects: performers(context, secrets),
      consumes: [...answering(context), starting(context), performingDeferred(context)],
    };
  },
});
