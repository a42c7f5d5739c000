import type { Json } from '../../json.js';
import { type Block, objectAt } from '../compile.js';
import { isExpression } from '../expression/check.js';
import type { BlockType, Run } from './block-type.js';

/**
 * Chooses an exit by its tests. A case with nothing but a default exit is an assignment: the name of the exit is the
 * expression whose value the block has, as notebooks write `name = expression`.
 */
export const caseBlock: BlockType = {
  settings: {},

  enter(run) {
    const exit = run.chooseExit();
    const name = run.block.exits.find(({ uuid }) => uuid === exit)?.name ?? '';
    const assigns = assignmentOf(run.block) !== undefined;
    return { kind: 'continue', value: assigns ? assigned(run, name) : name, ...(exit !== undefined && { exit }) };
  },

  check(block, report) {
    const source = assignmentOf(block);
    if (source !== undefined && (isAssigning(block) || (!WORDS.test(source) && isExpression(source)))) {
      report.expression('exits[0].name', source);
    }
  },
};

const ASSIGNING_ITEMS: readonly Json[] = ['expression', 'literal'];

/** Words, whose hyphens join them: what means nothing as an expression is a mere name. */
const WORDS = /^[\w -]*$/;

/** The name itself when it is no expression, or mere words that mean nothing; nil when it is one that has no value. */
function assigned(run: Run, name: string): Json {
  if (isAssigning(run.block)) return run.value(name);
  const { value, troubles } = run.attempt(name);
  const isName = troubles.length > 0 ? WORDS.test(name) || !isExpression(name) : value === null && WORDS.test(name);
  return isName ? name : run.value(name);
}

const isAssigning = ({ hints }: Block): boolean => ASSIGNING_ITEMS.includes(objectAt(hints.notebook, 'card_item').type ?? null);

const assignmentOf = ({ exits: [only, ...more] }: Block): string | undefined =>
  only?.isDefault === true && more.length === 0 ? only.name : undefined;
