import type { BlockType } from './block-type.js';
import { textOf, uuidsIn } from './config.js';

/** Writes to the log of the run; the contact sees nothing of it. */
export const log: BlockType = {
  settings: { message: 'any' },

  enter(run) {
    const { message } = run.config;
    const parts = run.resource(message);
    const text = parts.length > 0 ? textOf(parts) : typeof message === 'string' ? run.text(message) : '';
    run.emit({ type: 'log', text });
    return { kind: 'continue' };
  },
  resources: ({ message }) => uuidsIn(message),
  check({ config }, report) {
    if (typeof config.message !== 'string') report.error('config.message', 'there is nothing to log');
    else if (!report.flow.resources.has(config.message)) report.template('config.message', config.message);
  },
};
