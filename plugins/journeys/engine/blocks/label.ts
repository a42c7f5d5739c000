import type { Json } from '#core/basics';
import { asText, listAt } from '../compile.js';
import type { BlockType, Run } from './block-type.js';
import { textOrResource, uuidsIn } from './config.js';

const labelling = (read: (run: Run, source: Json) => string): BlockType => ({
  // `message` is accepted but not read: notebooks always export `event.message`, the message that the journey responds to.
  settings: { labels: 'any', message: 'any' },

  enter(run) {
    const labels = listAt(run.config, 'labels').map((source) => read(run, source).trim());
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
});

/** Adds labels to the message that the journey responds to. */
export const label = labelling(textOrResource);

/** Adds labels as notebooks export them: each is an expression, so a text is in quotes. A label that is not an expression is a text. */
export const notebookLabel = labelling((run, source) => {
  const written = typeof source === 'string' ? (run.flow.resources.get(source)?.values[0]?.value ?? source) : '';
  const { value, warnings } = run.tryValue(written);
  return warnings.length > 0 || value === null ? textOrResource(run, source) : asText(value);
});
