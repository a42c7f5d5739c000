import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import type { Json, JsonObject } from '../../../../../core/json.js';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';
import { checkNotebook } from '../../../../../plugins/journeys/engine/notebook/check-notebook.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { Talk } from '../journey-under-test.js';
import { notebooks } from './generated.js';

const notebook = `# Check

\`\`\`stack
card Ask, then: Check do
  age = ask("How old, @nmae?")
end

card Check when age > 17
    and has_text(town), then: Bye do
  😀 = 1
end

card Check do
  find = get("https://api.example", query: [["q", "@agee"]])
  pick = buttons(Ask: "Again", Bye: "A label that is far too long") do
    text("So?")
  end
end

card Bye, then: Bye do
  log("@(upper(1, 2))")
end
\`\`\`
`;

const valueAt = (container: Container, pointer: string): Json | undefined => {
  let value: unknown = container;
  for (const step of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined)?.[step];
  return value as Json | undefined;
};

t.test('findings of lint are at their place in the notebook', async (t) => {
  const { findings } = checkNotebook(notebook.replace('  😀 = 1', '  x = 1'));
  t.strictSame(
    findings.map(({ line, column, code, path }) => [line, column, code, path]),
    [
      [5, 24, 'unknown_name', '/flows/0/resources/0/values/0/value'],
      [9, 18, 'unknown_name', '/flows/0/blocks/1/exits/0/test'],
      [14, 53, 'unknown_name', '/flows/0/blocks/3/config/query/q'],
      [15, 37, 'label_too_long', '/flows/0/blocks/4/config/choices/1/prompt'],
      [21, 3, 'endless_cycle', '/flows/0/blocks/5'],
      [21, 7, 'wrong_arity', '/flows/0/resources/4/values/0/value'],
    ],
  );
});

t.test('a finding of lint about a name is at the name, on its line of a long text, with the nearest word', async (t) => {
  const text = `card Ask do
  answer = ask("""
  Say nope or uper.
  Dear 😀 @contcat.name, @@nope is
      @(1 + nope.foo) and @uper("x")
  """)
  log("say \\"uper\\": @upper(uper(answr))")
  shout = upper("@anser") & contcat.name
end`;
  const { findings } = checkNotebook(text);
  t.strictSame(
    findings.map(({ line, column, end, code, nearest }) => [line, column, end.column - column, code, nearest]),
    [
      [4, 11, 7, 'unknown_name', 'contact'],
      [5, 13, 4, 'unknown_name', undefined],
      [5, 28, 4, 'unknown_function', 'upper'],
      [7, 29, 4, 'unknown_function', 'upper'],
      [7, 34, 5, 'unknown_name', 'answer'],
      [8, 19, 5, 'unknown_name', 'answer'],
      [8, 29, 7, 'unknown_name', 'contact'],
    ],
  );
  t.match(findings[2], { message: "the function 'uper' does not exist; did you mean 'upper'?" });
});

t.test('columns count characters, not halves of them', async (t) => {
  const { findings } = compileNotebook(notebook);
  t.match(findings, [{ line: 10, column: 3, end: { line: 10, column: 4 } }]);
  const text = 'card A do\n  log("😀😀") foo(1)\nend';
  t.match(compileNotebook(text).findings, [{ line: 2, column: 13, message: /'foo'/ }]);
});

t.test('lines are those of the notebook, whatever ends them, and those of the code are kept beside', async (t) => {
  const source =
    '# Two fences\n\n```stack\ncard A, then: B do\n  log("a")\nend\n```\n\nProse.\n\n```stack\ncard B do\n  log("b")\nend\n```\n';
  for (const text of [source, source.replaceAll('\n', '\r\n'), `\ufeff${source}`]) {
    const blocks = compileNotebook(text).container!.flows[0]!.blocks;
    const places = blocks.map(({ vendor_metadata }) => {
      const { svc, io } = vendor_metadata as {
        svc: JsonObject;
        io: { turn: { stacks_dsl: { '0.1.0': { card: JsonObject; card_item: JsonObject } } } };
      };
      const { card, card_item } = io.turn.stacks_dsl['0.1.0'];
      return [svc.source, card.meta, card_item.meta];
    });
    t.strictSame(places, [
      [
        { line: 5, column: 3 },
        { line: 1, column: 1 },
        { line: 2, column: 3 },
      ],
      [
        { line: 13, column: 3 },
        { line: 4, column: 1 },
        { line: 5, column: 3 },
      ],
    ]);
  }
});

t.test('the events of a run name blocks that are found in the notebook', async (t) => {
  const text = readFileSync('test/plugins/journeys/engine/notebook/cases/08-buttons.md', 'utf8');
  const { container, sources } = compileNotebook(text);
  const talk = new Talk({ main: container! });
  const blocks = [talk.start(), talk.say('When open?')].flatMap(({ events }) =>
    events.flatMap((event) => ('at' in event && event.at ? event.at.block : [])),
  );
  const lines = [...new Set(blocks)].map((uuid) => text.split('\n')[sources!.ofBlock(uuid)!.line - 1]!.trim());
  t.strictSame(lines, ['choice = buttons(OpenHours: "When open?", FAQMenu: "Questions @count") do', 'text("Nine to five.")']);
  t.strictSame(sources!.blocksAt(text.indexOf('Nine')), [blocks.at(-1)]);
  t.strictSame(sources!.blocksAt(0), []);
});

t.test('exits have the place of what leads there', async (t) => {
  const text =
    'card A, then: B do\n  buttons(A: "a", B: "b") do\n    text("?")\n  end\n  then(B when x)\nend\ncard B when y do\n  log("b")\nend\ncard B do\nend';
  const { blocks } = compileNotebook(text).container!.flows[0]!;
  const places = blocks.flatMap(({ exits }) =>
    exits.map((exit) => {
      const { source } = (((exit as JsonObject).vendor_metadata as JsonObject | undefined)?.svc ?? {}) as JsonObject;
      const { line, column } = (source ?? {}) as JsonObject;
      return `${exit.name}: ${line === undefined ? '' : `${line}:${column}`}`;
    }),
  );
  t.strictSame(places, [
    'a: 2:11',
    'b: 2:19',
    'a: ',
    'Exit for B: 5:3',
    'Default exit to "B": 1:15',
    'Exit for b_case_condition_0: 7:13',
    'Exit for b_case_condition_1: 10:6',
    'b_case_condition_0_log: ',
  ]);
});

t.test('every expression and every text of a container is found where it is written', async (t) => {
  let count = 0;
  fc.assert(
    fc.property(notebooks, (text) => {
      const { container, sources } = compileNotebook(text);
      for (const [pointer, { start, end }] of sources!.entries()) {
        const value = valueAt(container!, pointer);
        // Pairs are also found by their names, as lint calls them.
        if (/\/config\/(?:query|headers)\//.test(pointer)) continue;
        if (value === undefined) throw new Error(`there is nothing at ${pointer}`);
        if (!/\/(?:test|value|name|choice_expression)$/.test(pointer) || typeof value !== 'string') continue;
        const written = text.replace(/^\ufeff/, '').slice(start, end);
        // Assigned to a variable, the marked source gives the same expression. Otherwise it is a template: a text, or the beginning of one.
        const [open, close] = pointer.endsWith('/name') ? ['', ''] : ['[\n', '\n]'];
        const name =
          compileNotebook(`card A do\n  x = ${open}${written}${close}\nend`).container?.flows[0]?.blocks[0]?.exits[0]?.name ?? '';
        const again = name.slice(open.length / 2, name.length - close.length / 2);
        const asText = JSON.stringify(value);
        const isSame =
          again === value ||
          again === `"${value.replaceAll('"', '\\"')}"` ||
          `@${again}` === value ||
          `@(${again})` === value ||
          again === asText;
        if (!isSame && !/exits\/\d+\/test$/.test(pointer)) {
          // The labels of cards and the texts that the compiler adds are somewhere else than they are used.
          const isGiven =
            written === 'true' || /^[A-Za-z_]\w*$/.test(written) || value === 'event.message' || value === 'true' || value === 'false';
          if (!isGiven) throw new Error(`${pointer}: ${value} is not ${written}`);
        }
        count++;
      }
    }),
    { numRuns: 150, seed: 7 },
  );
  t.ok(count > 1000, `${count} expressions and texts`);
});

t.test('a change of one card leaves the uuids of the others as they are', async (t) => {
  const text = readFileSync('test/plugins/journeys/engine/notebook/cases/15-then.md', 'utf8');
  const changed = text.replace('  text("Right.")', '  log("new")\n  text("Right, @contact.name.")');
  const uuids = (source: string): Map<string, string> =>
    new Map(
      compileNotebook(source).container!.flows[0]!.blocks.flatMap(({ uuid, name, exits, vendor_metadata }) => {
        const { card } = (vendor_metadata as { svc: { card: string } }).svc;
        return card === 'Right' ? [] : [[name, uuid] as const, ...exits.map((exit) => [`${name} > ${exit.name}`, exit.uuid] as const)];
      }),
    );
  t.not(text, changed);
  t.strictSame(uuids(changed), uuids(text));
  t.equal(new Set(uuids(text).values()).size, uuids(text).size, 'no two are the same');
});

t.test('journeys have uuids of their own, and their blocks too', async (t) => {
  const text = 'card A do\n  log("a")\nend';
  const blockOf = (uuid?: string): string => compileNotebook(text, { uuid }).container!.flows[0]!.blocks[0]!.uuid;
  const [one, other] = ['0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10', '1d2f5a8e-2c0b-4b7d-8b11-3f0d9c7e5a21'];
  t.equal(compileNotebook(text, { uuid: one }).container!.uuid, one);
  t.equal(blockOf(one), blockOf(one));
  t.not(blockOf(one), blockOf(other));
  t.equal(blockOf('no uuid at all'), blockOf('no uuid at all'));
  t.match(blockOf(one), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
