import { objectAt } from '../compile.js';
import type { Json } from '../session.js';
import type { BlockType, Run } from './block-type.js';

/**
 * Chooses an exit by its tests. A case with nothing but a default exit is an assignment: the name of the exit is the
 * expression whose value the block has, as notebooks write `name = expression`.
 */
export const caseBlock: BlockType = {
  enter(run) {
    const exit = run.chooseExit();
    const name = run.block.exits.find(({ uuid }) => uuid === exit)?.name ?? '';
    const [only, ...more] = run.block.exits;
    const assigns = only?.isDefault === true && more.length === 0;
    return { kind: 'continue', value: assigns ? assigned(run, name) : name, ...(exit !== undefined && { exit }) };
  },
};

const ASSIGNING_ITEMS: readonly Json[] = ['expression', 'literal'];

/** The name itself when it is no expression, or a mere word that means nothing. */
function assigned(run: Run, name: string): Json {
  if (ASSIGNING_ITEMS.includes(objectAt(run.block.hints.notebook, 'card_item').type ?? null)) return run.value(name);
  const { value, troubles } = run.attempt(name);
  return troubles.length > 0 || (value === null && /^\w+$/.test(name)) ? name : value;
}
