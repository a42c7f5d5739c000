import { errorRules, hintRules, type RuleRow, ruleSources } from '../../plugins/flows/validate/codes.js';
import { code, table } from './table.js';

/** The table of validation rules: code, error or hint, condition, source and confidence. */
export const flowRuleTable = (): string =>
  table(['Code', 'Kind', 'Reported when', 'Source', 'Confidence'], [...rowsOf(errorRules, 'error'), ...rowsOf(hintRules, 'hint')]);

const rowsOf = (rules: Readonly<Record<string, readonly RuleRow[]>>, kind: string): string[][] =>
  Object.entries(rules).flatMap(([name, rows]) => rows.map(({ when, source, confidence }) => [code(name), kind, when, source, confidence]));

export const ruleSourceTable = (): string =>
  table(
    ['Source', 'Meaning'],
    Object.entries(ruleSources).map(([name, meaning]) => [name, meaning]),
  );
