import { listAt } from '../compile.js';
import type { BlockType } from './block-type.js';
import { uuidsIn, writtenOrResource } from './config.js';

/** Puts labels on the message that the journey answers. */
export const label: BlockType = {
  // Notebooks say in `message` which message is labelled: `event.message`, the one that the journey answers.
  settings: { labels: 'any', message: 'any' },

  enter(run) {
    const labels = listAt(run.config, 'labels').map((source) => writtenOrResource(run, source).trim());
    for (const text of new Set(labels)) if (text !== '') run.emit({ type: 'label_added', label: text });
    return { kind: 'continue' };
  },
  resources: (config) => uuidsIn(...listAt(config, 'labels')),
  check({ config }, report) {
    if (listAt(config, 'labels').length === 0) report.error('config.labels', 'there is no label');
    for (const [i, source] of listAt(config, 'labels').entries()) {
      if (typeof source !== 'string' || source === '') report.error(`config.labels[${i}]`, 'a label is a text');
      else if (!report.flow.resources.has(source)) report.template(`config.labels[${i}]`, source);
    }
  },
};
