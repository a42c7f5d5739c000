import { isObject, listAt } from '../compile.js';
import type { BlockType } from './block-type.js';
import { checkReserved } from './config.js';

/** Sets variables in order; a later assignment can use an earlier one. */
export const setVariable: BlockType = {
  settings: { assignments: [{ name: 'any', value: 'any' }] },

  enter(run) {
    for (const item of listAt(run.config, 'assignments')) {
      if (!isObject(item) || typeof item.name !== 'string') continue;
      run.setVariable(item.name, typeof item.value === 'string' ? run.value(item.value) : (item.value ?? null));
    }
    return { kind: 'continue' };
  },
  check({ config }, report) {
    const items = listAt(config, 'assignments');
    if (items.length === 0) report.error('config.assignments', 'the list of assignments is empty or missing');
    for (const [i, item] of items.entries()) {
      const path = `config.assignments[${i}]`;
      if (!isObject(item) || typeof item.name !== 'string' || !/^[A-Za-z]\w*$/.test(item.name)) {
        report.error(path, 'a variable needs a name: a letter, then letters, digits and underscores');
        continue;
      }
      checkReserved(item.name, path, report);
      if (typeof item.value === 'string') report.expression(`${path}.value`, item.value);
    }
  },
};
