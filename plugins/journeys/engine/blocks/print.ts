import { textTurns } from '../message-turns.js';
import type { BlockType } from './block-type.js';
import { textOrResource, uuidsIn } from './config.js';

/** Sends a text message; the form of early release candidates. */
export const print: BlockType = {
  settings: { message: 'any' },

  enter(run) {
    run.send(textTurns(textOrResource(run, run.config.message)));
    return { kind: 'continue' };
  },
  resources: ({ message }) => uuidsIn(message),
  check({ config }, report) {
    if (typeof config.message !== 'string' || config.message === '')
      report.error('config.message', 'the message is missing: set a text or the uuid of a resource');
    else if (!report.flow.resources.has(config.message)) report.template('config.message', config.message);
  },
};
