import t from 'tap';
import { validateFlow } from '../../../plugins/flows/validate/validate-flow.js';
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
  readonly flow_json_text: string;
  readonly expected: readonly Expected[];
}

const cases = readCases<Case[]>('invalid-flows.json');

t.test('every refused flow gets exactly the errors that are expected, with their codes, paths and ranges', async (t) => {
  t.equal(cases.length, 79);
  for (const { id, why, flow_json_text, expected } of cases) {
    const { errors } = validateFlow(flow_json_text);
    const found = errors.map(({ error, line_start, line_end, column_start, column_end, pointers }) => {
      return { error, path: pointers[0]!.path, line_start, line_end, column_start, column_end };
    });
    t.strictSame(found, expected, `${id}: ${why}`);
  }
});

t.test('flows that are sound have no errors', async (t) => {
  t.equal(validFlows.length, 12);
  for (const { name, text } of validFlows) t.strictSame(validateFlow(text).errors, [], name);
});
