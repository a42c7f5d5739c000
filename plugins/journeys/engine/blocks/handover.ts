import type { BlockType } from './block-type.js';

/** Hands the conversation over to people. Ends the whole run, unless an exit leads to another block. */
export const handover: BlockType = {
  settings: { queue: 'any', note: 'any' },

  enter(run) {
    const { queue, note } = run.config;
    const named = typeof queue === 'string' ? run.text(queue).trim() : '';
    run.emit({ type: 'handed_over', queue: named === '' ? null : named, note: typeof note === 'string' ? run.text(note) : '' });
    return run.block.exits.some(({ to }) => to !== null) ? { kind: 'continue' } : { kind: 'end' };
  },
  check({ config }, report) {
    report.template('config.queue', config.queue);
    report.template('config.note', config.note);
  },
};
