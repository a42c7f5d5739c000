import type { BlockType } from './block-type.js';

/** Writes a result of the journey, under the name of the block. */
export const output: BlockType = {
  settings: { value: 'any', label: 'any' },

  enter(run) {
    const { value: source, label } = run.config;
    const value = typeof source === 'string' ? run.value(source) : (source ?? null);
    run.writeResult(value, typeof label === 'string' ? run.text(label) : undefined);
    return { kind: 'continue', value };
  },
  check({ config }, report) {
    if (config.value === undefined) report.error('config.value', 'the value is missing: set an expression');
    else report.expression('config.value', config.value);
  },
};
