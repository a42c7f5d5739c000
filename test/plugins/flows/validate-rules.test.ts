import t from 'tap';
import { readCases } from './flow-cases.js';
import { findings } from './rule-scenes.js';

interface Case {
  readonly rule: string;
  readonly flow: unknown;
  readonly errors: readonly string[];
}

const cases = readCases<Case[]>('rules/flows.json');

t.test('each rule about screens, counts, Footers, Forms, actions, data and routes is kept, neither stricter nor laxer', async (t) => {
  for (const { rule, flow, errors } of cases) t.strictSame(findings(flow).errors.sort(), [...errors].sort(), rule);
});
