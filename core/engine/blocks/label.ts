import { listAt } from '../compile.js';
import type { BlockType } from './block-type.js';
import { textOrResource, uuidsIn } from './config.js';

/** Adds labels to the message that the journey responds to. */
export const label: BlockType = {
  // `message` is accepted but not read: notebooks always export `event.message`, the message that the journey responds to.
  settings: { labels: 'any', message: 'any' },

  enter(run) {
    const labels = listAt(run.config, 'labels').map((source) => textOrResource(run, source).trim());
    for (const text of new Set(labels)) if (text !== '') run.emit({ type: 'label_added', label: text });
    return { kind: 'continue' };
  },
  resources: (config) => uuidsIn(...listAt(config, 'labels')),
  check({ config }, report) {
    if (listAt(config, 'labels').length === 0) report.error('config.labels', 'this list needs at least one label');
    for (const [i, source] of listAt(config, 'labels').entries()) {
      if (typeof source !== 'string' || source === '') report.error(`config.labels[${i}]`, 'a label must be a non-empty text');
      else if (!report.flow.resources.has(source)) report.template(`config.labels[${i}]`, source);
    }
  },
};
