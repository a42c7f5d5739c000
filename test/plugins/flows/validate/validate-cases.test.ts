import t from 'tap';
import { type ErrorCode, errorRules, type RuleRow } from '../../../../plugins/flows/validate/codes.js';
import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';
import { readCases, validFlows } from './flow-cases.js';

interface Expected {
  readonly error: string;
  readonly path: string;
  readonly line_start?: number;
  readonly line_end?: number;
  readonly column_start?: number;
  readonly column_end?: number;
}
interface Case {
  readonly id: string;
  readonly why: string;
  /** The source of the case. */
  readonly basis: 'documented' | 'inferred' | 'chosen';
  readonly flow_json_text: string;
  readonly expected: readonly Expected[];
}

const cases = readCases<Case[]>('invalid-flows.json');

t.test('every invalid flow gets exactly the expected errors, with codes, paths and ranges', async (t) => {
  t.equal(cases.length, 78);
  for (const { id, why, flow_json_text, expected } of cases) {
    const { errors } = validateFlow(flow_json_text);
    const found = errors.map(({ error, line_start, line_end, column_start, column_end, pointers }) => {
      return { error, path: pointers[0]!.path, line_start, line_end, column_start, column_end };
    });
    t.strictSame(found, expected, `${id}: ${why}`);
  }
});

/** The sources of rules that are allowed for each basis of a case. */
const sources: Readonly<Record<Case['basis'], readonly string[]>> = {
  documented: ['documented'],
  inferred: ['inferred', 'interface', 'documented'],
  chosen: ['uncoded', 'chosen'],
};

t.test('the table of rules lists the codes of every invalid flow as errors, with a source that matches the case', async (t) => {
  for (const { id, basis, expected } of cases) {
    for (const { error } of expected) {
      const rows: readonly RuleRow[] = errorRules[error as ErrorCode] ?? [];
      t.ok(
        rows.some(({ source }) => sources[basis].includes(source)),
        `${id}: ${error} is ${basis}`,
      );
    }
  }
});

t.test('valid flows have no errors', async (t) => {
  t.equal(validFlows.length, 12);
  for (const { name, text } of validFlows) t.strictSame(validateFlow(text).errors, [], name);
});
