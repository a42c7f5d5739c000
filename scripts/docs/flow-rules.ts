import { errorRules, hintRules, type RuleRow, ruleSources } from '../../plugins/flows/validate/codes.js';
import { code, table } from './table.js';

/** Every rule of the validator: whether it is an error or a hint, where it comes from, and how sure it is. */
export const flowRuleTable = (): string =>
  table(['Code', 'Kind', 'Reported when', 'Source', 'Confidence'], [...rowsOf(errorRules, 'error'), ...rowsOf(hintRules, 'hint')]);

const rowsOf = (rules: Readonly<Record<string, readonly RuleRow[]>>, kind: string): string[][] =>
  Object.entries(rules).flatMap(([name, rows]) => rows.map(({ when, source, confidence }) => [code(name), kind, when, source, confidence]));

export const ruleSourceTable = (): string =>
  table(
    ['Source', 'What it means'],
    Object.entries(ruleSources).map(([name, meaning]) => [name, meaning]),
  );
