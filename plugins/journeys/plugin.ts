import { definePlugin } from '#core';
import { answering, queueAnswer } from './answer.js';
import { journeyConsole } from './console.js';
import { performers } from './effects/performers.js';
import { noneFits, prompts, sessionExpired, sessions, turnTaken } from './sessions.js';

/** Journeys answer what contacts send. */
export const journeys = definePlugin({
  name: 'journeys',
  version: '0.1.0',
  collections: { sessions, prompts },
  emits: [turnTaken, noneFits, sessionExpired],
  register: (context) => ({
    console: journeyConsole(context),
    on: [queueAnswer],
    effects: performers(context),
    consumes: answering(context),
  }),
});
