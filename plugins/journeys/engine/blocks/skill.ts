import { objectAt, textAt } from '../compile.js';
import type { BlockType } from './block-type.js';
import { failedEffect } from './failed-effect.js';

/** Calls a code skill; the value is `{output, success, error}`. A failing skill does not fail the block; a missing skill does. */
export const skill: BlockType = {
  settings: { skill: 'any', arguments: 'any' },

  enter(run) {
    const given = Object.entries(objectAt(run.config, 'arguments'));
    const args = given.map(([name, source]) => [name, typeof source === 'string' ? run.value(source) : source] as const);
    return { kind: 'effect', effect: { kind: 'skill', skill: textAt(run.config, 'skill'), arguments: Object.fromEntries(args) } };
  },

  performed(run, result) {
    if (result.kind !== 'skill') return failedEffect(result);
    for (const call of result.calls) run.emit({ type: 'http_call', call });
    const { output, success, error = null } = result;
    return { kind: 'continue', value: { __value__: output, output, success, error } };
  },

  check({ config }, report) {
    for (const [name, source] of Object.entries(objectAt(config, 'arguments'))) {
      if (typeof source === 'string') report.expression(`config.arguments.${name}`, source);
    }
  },
};
