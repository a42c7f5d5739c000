import type { BlockType } from './block-type.js';
import { renderedText, uuidsIn } from './config.js';

/** Writes to the log of the run, which the contact does not see. */
export const log: BlockType = {
  settings: { message: 'any' },

  enter(run) {
    const { message } = run.config;
    const parts = run.resource(message);
    const text = parts.length > 0 ? renderedText(parts) : typeof message === 'string' ? run.text(message) : '';
    run.emit({ type: 'log', text });
    return { kind: 'continue' };
  },
  resources: ({ message }) => uuidsIn(message),
  check({ config }, report) {
    if (typeof config.message !== 'string') report.error('config.message', 'the message is missing: set a text or the uuid of a resource');
    else if (!report.flow.resources.has(config.message)) report.template('config.message', config.message);
  },
};
