import type { BlockType } from './block-type.js';

/** Ends the flow, with a reason in the log. A calling flow continues. */
export const end: BlockType = {
  settings: { reason: 'any' },

  enter(run) {
    const { reason } = run.config;
    run.emit({ type: 'ended', reason: typeof reason === 'string' ? run.text(reason) : '' });
    return { kind: 'return' };
  },
  check({ config, exits }, report) {
    report.template('config.reason', config.reason);
    if (exits.some(({ to }) => to !== null))
      report.warning('exits', 'an exit of this block leads to another block, which a run never reaches from here; remove its destination');
  },
};
