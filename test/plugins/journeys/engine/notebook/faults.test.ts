import { readFileSync } from 'node:fs';
import t from 'tap';
import { notebookFixes } from '../../../../../plugins/journeys/engine/notebook/codes.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';

interface Case {
  readonly about: string;
  readonly text: readonly string[];
  /** `line:column code nearest`, with `warning` before what is none. */
  readonly findings: readonly string[];
}

const cases = JSON.parse(readFileSync('test/plugins/journeys/engine/notebook/faults.json', 'utf8')) as Case[];

for (const { about, text, findings } of cases) {
  t.test(`findings: ${about}`, async (t) => {
    const { container, findings: found } = compileNotebook(text.join('\n'));
    const lines = found.map(({ severity, line, column, code, nearest }) =>
      [...(severity === 'warning' ? ['warning'] : []), `${line}:${column}`, code, ...(nearest === undefined ? [] : [nearest])].join(' '),
    );
    t.strictSame(lines, findings, found.map(({ message }) => message).join('; '));
    t.equal(
      container === undefined,
      found.some(({ severity }) => severity === 'error'),
      'there is a container unless there are errors',
    );
    for (const { message, fix, code, line, column, end } of found) {
      t.equal(fix, notebookFixes[code as keyof typeof notebookFixes], message);
      t.ok(end.line > line || (end.line === line && end.column >= column), `${message}: ends behind its beginning`);
    }
  });
}

t.test('there is a case for every code that a text can be blamed for', async (t) => {
  const seen = new Set(cases.flatMap(({ findings }) => findings.flatMap((line) => line.split(' '))));
  // These are in the cases of whole notebooks, and in the tests of limits.
  const elsewhere = [
    'too_large',
    'unclosed_fence',
    'unclosed_comment',
    'no_card',
    'outside_card',
    'unwanted_body',
    'missing_body',
    'missing_text',
    'too_many_choices',
    'order_of_arguments',
    'unknown_option',
  ];
  t.strictSame(
    Object.keys(notebookFixes).filter((code) => !seen.has(code) && !elsewhere.includes(code)),
    [],
  );
});
