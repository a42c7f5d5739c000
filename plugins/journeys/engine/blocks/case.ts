import type { Json } from '#core/basics';
import { type Block, objectAt } from '../compile.js';
import { isExpression } from '../expression/check.js';
import type { BlockType, Run } from './block-type.js';

/**
 * Chooses an exit by its test. A case with only a default exit assigns a variable: the name of the exit is the expression for the
 * block's value. Notebooks export `name = expression` this way.
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

/** Plain words, possibly hyphenated. Such an exit name may be just a name, although it parses as an expression. */
const WORDS = /^[\w -]*$/;

/** The value of the expression in an exit name; the name itself if it is not an expression, or if it is plain words without a value. */
function assigned(run: Run, name: string): Json {
  if (isAssigning(run.block)) return run.value(name);
  const { value, warnings } = run.tryValue(name);
  const isName = warnings.length > 0 ? WORDS.test(name) || !isExpression(name) : value === null && WORDS.test(name);
  return isName ? name : run.value(name);
}

const isAssigning = ({ hints }: Block): boolean => ASSIGNING_ITEMS.includes(objectAt(hints.notebook, 'card_item').type ?? null);

const assignmentOf = ({ exits: [only, ...more] }: Block): string | undefined =>
  only?.isDefault === true && more.length === 0 ? only.name : undefined;
