import type { BlockType } from './block-type.js';

/** The end of a flow, as a place one can see. A journey that called goes on. */
export const end: BlockType = {
  settings: { reason: 'any' },

  enter(run) {
    const { reason } = run.config;
    run.emit({ type: 'ended', reason: typeof reason === 'string' ? run.text(reason) : '' });
    return { kind: 'return' };
  },
  check({ config, exits }, report) {
    report.template('config.reason', config.reason);
    if (exits.some(({ to }) => to !== null)) report.warning('exits', 'nothing comes after the end');
  },
};
