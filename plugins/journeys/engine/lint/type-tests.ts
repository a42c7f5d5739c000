import type { Json } from '#core/basics';
import type { Report } from '../blocks/block-type.js';
import { blockTypes } from '../blocks/index.js';
import type { Block, Flow } from '../compile.js';
import { type TypeTest, typeTestsIn } from '../expression/check.js';
import { type ExpressionEnvironment, holds } from '../expression/expression.js';
import type { ValueMap } from '../expression/value.js';

/** Texts that read as numbers. Codes are texts for `isstring` even if a contact wrote them. */
const SAMPLES = ['0821234567', '+27821234567', '1990'];

/** Warns when one text makes the `isnumber` of one test and the `isstring` of another true: the first of the two decides. */
export function checkTypeTests({ exits }: Block, flow: Flow, report: Report): void {
  const tests = exits.flatMap(({ test, isDefault }, i) => {
    const uses = test === undefined || isDefault ? [] : typeTestsIn(test);
    return test === undefined || uses.length === 0 ? [] : { i, test, uses };
  });
  for (const [later, second] of tests.entries()) {
    for (const first of tests.slice(0, later)) {
      const path = first.uses.find((use) => second.uses.some((other) => excludes(use, other)))?.path;
      const sample = path && SAMPLES.find((text) => [first, second].every(({ test }) => isTrueOf(test, path, text, flow)));
      if (!path || !sample) continue;
      const name = path.join('.');
      report.warning(
        `exits[${second.i}].test`,
        `if ${name} is a text such as '${sample}', this test and an earlier one are both true: it is a number and a text`,
        'overlapping_tests',
      );
      break;
    }
  }
}

const excludes = (one: TypeTest, other: TypeTest): boolean => one.name !== other.name && one.path.join('.') === other.path.join('.');

function isTrueOf(test: string, path: readonly string[], text: string, flow: Flow): boolean {
  const scope = path.reduceRight<Json>((value, key) => ({ [key]: value }), text) as ValueMap;
  const isAnswer = isAnswerOf(path, flow);
  const environment: ExpressionEnvironment = { now: 0, timeZone: 'UTC', random: () => 0, isAnswer: () => isAnswer };
  return holds(test, [scope], environment).value;
}

function isAnswerOf([root = '', ...keys]: readonly string[], { blocks }: Flow): boolean {
  if (root === 'block') return true;
  if (root === 'event') return keys.join('.') === 'message.text.body';
  return keys.length === 0 && [...blocks.values()].some(({ name, type }) => name === root && blockTypes.get(type)?.answer !== undefined);
}
